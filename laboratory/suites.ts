import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { noRuntime, pathOf, type Runtime } from "../packages/test/support/runtimes.ts"
import { root } from "../packages/test/support/workspace.ts"
import type { Lab } from "./Lab.ts"

/** Runs tests as they are configured, and returns whether they pass. */
const passes = (args: ReadonlyArray<string>, env: Record<string, string> = {}, node = process.execPath): boolean =>
  spawnSync(node, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "inherit"
  }).status === 0

/** The unit tests, and the contracts of the store in a file. */
const runs = [
  ["--project=unit"],
  ["--project=contract", "packages/adapters/src/sqlite/storage", "packages/adapters/src/sqlite/petstore"]
]

export const nodes = async (lab: Lab): Promise<void> => {
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

export const long = async (lab: Lab): Promise<void> => {
  if (!passes(["--project=long"])) lab.found("A test fails")
}

const wholeProjects = ["contract", "variants", "integration"].map((name) => `--project=${name}`)

export const contracts = async (lab: Lab): Promise<void> => {
  if (!passes([...wholeProjects, "contract", "hostEnd"], { PETSTORE_TEST_CONTRACTS: "all" })) lab.found("A case fails")
}

export const model = (lab: Lab): Promise<void> =>
  lab.eachSeed(async (seed) =>
    passes(["packages/http/src/client/model.int.test.ts"], { MODEL_SEED: String(seed) }) ? [] : ["A history differs"]
  )

const onPostgres = ["--project=contract", "--project=variants", "packages/adapters/src/postgres/"]
/** Opens the version before the oldest one, which it refuses. */
const refusal = ["--project=integration", "packages/adapters/src/postgres/schema/oldServers.int"]

export const postgresVersions = async (lab: Lab): Promise<void> => {
  for (const version of [14, 15, 16, 17]) {
    lab.log(`PostgreSQL ${version}`)
    for (const filters of [onPostgres, ...(version === 14 ? [refusal] : [])]) {
      const env = { PETSTORE_TEST_POSTGRES_VERSION: String(version) }
      if (!passes(["--reporter=dot", ...filters], env)) lab.found(`A test fails on PostgreSQL ${version}`)
    }
  }
}
