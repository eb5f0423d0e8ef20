import type { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { embeddedContract, inGroups, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, openGuest, transactOn } from "../../../test/support/host.ts"
import { oneByOne, type Transact, withHostTransactions } from "../../../test/support/inHostTransactions.ts"
import { libraries } from "../../../test/support/libraryTransactions.ts"
import { migratedFile } from "../../../test/support/migratedFile.ts"
import { hostTransaction } from "./hostTransaction.ts"

/** Each library, with one transaction at a time. */
const ofLibraries = Object.fromEntries(
  Object.entries(libraries).map(([name, open]): [string, (db: DatabaseSync) => Transact] => [
    name,
    (db) => {
      const [inTurn, inLibrary] = [oneByOne(), open(db)]
      return (body) => inTurn(() => inLibrary(({ transaction }) => body(transaction)))
    }
  ])
)

const transacts: Readonly<Record<string, (db: DatabaseSync) => Transact>> = {
  ...ofLibraries,
  "node:sqlite": transactOn,
  hostTransaction: (db) => (body) => hostTransaction(db, body)
}

for (const [name, transactWith] of Object.entries(transacts)) {
  const open = Effect.gen(function* () {
    const db = yield* openDatabase(yield* migratedFile())
    return withHostTransactions(yield* openGuest(db), transactWith(db))
  })

  describe(`a petstore whose transactions are those of ${name}`, () =>
    registerContract(inGroups(embeddedContract({ open }), ["bodies that run once"]), { describe, it }))
}
