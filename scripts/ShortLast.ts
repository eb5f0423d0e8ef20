import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The projects in the order in which their files begin. Contracts need nothing but what is there, while the packages are still
 * being installed. Unit tests come last: they are many and short, so that all workers end at the same time.
 */
const order: ReadonlyArray<string> = ["contract", "packages", "measured", "integration", "unit"]

const placeOf = ({ project }: TestSpecification): number => order.indexOf(project.name)

/** Begins what takes long early. Within a project, the files that took longest before come first, or the largest ones. */
export default class ShortLast extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b))
  }
}
