import { describe, it } from "@effect/vitest"
import { checkInvariants, engineContract, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { inHostTransactions } from "../../../test/support/inHostTransactions.ts"
import { type HostLibraryName, openHostLibrary, transactOn } from "../../../test/support/postgres/hostLibraries.ts"
import { testStores } from "../../../test/support/postgres/testStores.ts"

expectLogs(clearText)

const stores = testStores()

const openOn = (name: HostLibraryName) =>
  Effect.gen(function* () {
    const petstore = yield* stores.petstores.open
    return inHostTransactions(petstore, transactOn(yield* openHostLibrary(name, yield* stores.databaseUrl)))
  })

for (const name of contracts.hostLibraries) {
  describe(`a petstore on PostgreSQL whose every command is a transaction of ${name}`, () => {
    const cases = engineContract({ open: openOn(name), afterEach: checkInvariants })
    registerContract(contracts.sampled(cases), { describe, it })
  })
}
