/** Runs the unit tests and the contracts of the store in a file on the oldest and the newest Node.js that are supported. */
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { noRuntime, pathOf, type Runtime } from "../packages/test/support/runtimes.ts"
import { root } from "../packages/test/support/workspace.ts"

const vitest = join(root, "node_modules/vitest/vitest.mjs")

const runs = [
  ["--project=unit"],
  ["--project=contract", "packages/adapters/src/sqlite/storage", "packages/adapters/src/sqlite/engine"]
]

for (const runtime of ["Node.js 22", "Node.js 26"] satisfies ReadonlyArray<Runtime>) {
  const node = pathOf(runtime)
  if (node === undefined) {
    console.log(noRuntime(runtime))
    continue
  }
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }
  for (const filters of runs) {
    console.log(`${runtime}: ${filters.join(" ")}`)
    const args = [vitest, "run", "--reporter=dot", "--reporter=./scripts/PlainSummary.ts", ...filters]
    const { status } = spawnSync(node, args, { cwd: root, env, stdio: "inherit" })
    if (status !== 0) process.exit(status ?? 1)
  }
}
