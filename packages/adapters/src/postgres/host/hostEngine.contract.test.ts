import { describe, it } from "@effect/vitest"
import { checkInvariants, engineContract, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { inHostTransactions } from "../../../test/support/inHostTransactions.ts"
import { transactOn } from "../../../test/support/postgres/hostLibraries.ts"
import { testStores } from "../../../test/support/postgres/testStores.ts"

expectLogs(clearText)

const stores = testStores()

for (const name of contracts.hostLibraries) {
  describe(`a petstore on PostgreSQL whose every command is a transaction of ${name}`, () => {
    const library = stores.library(name)
    const open = Effect.gen(function* () {
      return inHostTransactions(yield* stores.petstores.open, transactOn(yield* library))
    })
    const cases = engineContract({ open, afterEach: checkInvariants })
    registerContract(contracts.sampled(cases), { describe, it })
  })
}
