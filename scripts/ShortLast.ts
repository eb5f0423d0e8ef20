import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { longFiles } from "./longFiles.ts"

/**
 * The projects in the order in which their files begin: first those that wait for the packages to be installed. Unit tests come
 * last: they are many and short, so that all workers end at the same time.
 */
const projects: ReadonlyArray<string> = ["docs", "packages", "contract", "variants", "integration", "unit"]

const root = join(import.meta.dirname, "..")
const ranks = new Map(longFiles.map((file, index) => [join(root, file), index]))

/** A test file, and the project that runs it. */
export interface Placed {
  readonly project: { readonly name: string }
  readonly moduleId: string
}

/** Orders files by their project, then long ones first, longest first. Others keep their order. */
export const byLength = (a: Placed, b: Placed): number => {
  const rank = ({ moduleId }: Placed): number => ranks.get(join(moduleId)) ?? longFiles.length
  return projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || rank(a) - rank(b)
}

/**
 * Begins what takes long early. Within a project, the files that are known to be long come first, then those that took longest
 * in an earlier run, or the largest ones.
 */
export default class ShortLast extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort(byLength)
  }
}
