import type { Lab } from "../Lab.ts"
import { passes } from "./vitest.ts"

const contracts = ["--project=contract", "--project=variants", "packages/adapters/src/postgres/"]
/** Opens the version before the oldest one, which it refuses. */
const refusal = ["--project=integration", "packages/adapters/src/postgres/schema/oldServers.int"]

export const ask = async (lab: Lab): Promise<void> => {
  for (const version of [14, 15, 16, 17]) {
    lab.log(`PostgreSQL ${version}`)
    for (const filters of [contracts, ...(version === 14 ? [refusal] : [])]) {
      const env = { PETSTORE_TEST_POSTGRES_VERSION: String(version) }
      if (!passes(["--reporter=dot", ...filters], env)) lab.found(`A test fails on PostgreSQL ${version}`)
    }
  }
}
