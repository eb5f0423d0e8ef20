import { dirname } from "node:path"
import { noRuntime, pathOf, type Runtime } from "../../packages/test/support/runtimes.ts"
import type { Lab } from "../Lab.ts"
import { passes } from "./vitest.ts"

/** The unit tests, and the contracts of the store in a file. */
const runs = [
  ["--project=unit"],
  ["--project=contract", "packages/adapters/src/sqlite/storage", "packages/adapters/src/sqlite/petstore"]
]

export const ask = async (lab: Lab): Promise<void> => {
  for (const runtime of ["Node.js 22", "Node.js 26"] satisfies ReadonlyArray<Runtime>) {
    const node = pathOf(runtime)
    if (node === undefined) lab.log(noRuntime(runtime))
    else {
      const env = { PATH: `${dirname(node)}:${process.env.PATH}` }
      for (const filters of runs) {
        lab.log(`${runtime}: ${filters.join(" ")}`)
        if (!passes(["--reporter=dot", ...filters], env, node)) lab.found(`A test fails on ${runtime}`)
      }
    }
  }
}
