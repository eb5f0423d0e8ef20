/** Runs the contracts of the PostgreSQL adapter on each older version that it supports, and opens the one before, which it refuses. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { root } from "../packages/test/support/workspace.ts"

const vitest = join(root, "node_modules/vitest/vitest.mjs")

const run = (version: number, ...filters: ReadonlyArray<string>): void => {
  console.log(`PostgreSQL ${version}: ${filters.join(" ")}`)
  const args = [vitest, "run", "--reporter=dot", "--reporter=./scripts/PlainSummary.ts", ...filters]
  const env = { ...process.env, PETSTORE_TEST_POSTGRES_VERSION: String(version) }
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

for (const version of [14, 15, 16, 17])
  run(version, "--project=contract", "--project=variants", "packages/adapters/src/postgres/")
run(14, "--project=integration", "packages/adapters/src/postgres/schema/oldServers.int")
