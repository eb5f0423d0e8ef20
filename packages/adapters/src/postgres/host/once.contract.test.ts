import { describe, it } from "@effect/vitest"
import { embeddedContract, inGroups, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { contracts } from "../../../test/support/contracts.ts"
import { withHostTransactions } from "../../../test/support/inHostTransactions.ts"
import { transactOn } from "../../../test/support/postgres/hostLibraries.ts"
import { testStores } from "../../../test/support/postgres/testStores.ts"

const stores = testStores()

for (const name of contracts.hostLibraries) {
  const library = stores.library(name)
  const open = Effect.gen(function* () {
    return withHostTransactions(yield* stores.petstores.open, transactOn(yield* library))
  })

  describe(`a petstore on PostgreSQL whose transactions are those of ${name}`, () =>
    registerContract(inGroups(embeddedContract({ open }), ["bodies that run once"]), { describe, it }))
}
