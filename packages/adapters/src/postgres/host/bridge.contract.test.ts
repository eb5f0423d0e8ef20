import { describe, it } from "@effect/vitest"
import { inGroups, registerContract, storageContract } from "@petstore/testing"
import { type HostLibraryName, hostLibraries } from "../../../test/support/postgres/hostLibraries.ts"
import { testStores } from "../../../test/support/postgres/testStores.ts"

for (const name of Object.keys(hostLibraries) as ReadonlyArray<HostLibraryName>) {
  const cases = storageContract(testStores().storage(name))

  describe(`postgres with a host on ${name}`, () =>
    registerContract(inGroups(cases, ["storage: transactions of a host application"]), { describe, it }))
}
