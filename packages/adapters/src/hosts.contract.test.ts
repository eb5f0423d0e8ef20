import { describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import {
  checkInvariants,
  embeddedContract,
  inGroups,
  petstoreContract,
  registerContract,
  type StorageFixture,
  storageContract
} from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { contracts } from "../test/support/contracts.ts"
import { transactOn } from "../test/support/HostLibrary.ts"
import { openDatabase, openGuest } from "../test/support/host.ts"
import { inHostTransactions, type Transact, withHostTransactions } from "../test/support/inHostTransactions.ts"
import { sqliteLibraries, transactInTurn } from "../test/support/libraries.ts"
import { migratedFile } from "../test/support/migratedFile.ts"
import { type HostLibraryName, hostLibraryNames } from "../test/support/postgres/hostLibraries.ts"
import { testStores } from "../test/support/postgres/testStores.ts"
import { sqliteStoresWith } from "../test/support/sqliteFixtures.ts"

expectLogs(clearText)

const stores = testStores()

/** A library on an engine, and which contracts run in its transactions. */
interface Row {
  readonly name: string
  readonly storage?: StorageFixture
  /** A petstore, and what runs bodies in transactions of the library. */
  readonly open: Effect.Effect<readonly [petstore: Petstore, transact: Transact], unknown, Scope.Scope>
  readonly isEmbedded: boolean
  readonly isEngine: boolean
}

const onSqlite = (library: string): Row => ({
  name: `${library} on SQLite`,
  // The contract of SQLite itself has that of node:sqlite.
  ...(library === "node:sqlite" ? {} : { storage: sqliteStoresWith(library) }),
  open: Effect.gen(function* () {
    const tablePrefix = "shop_"
    const database = yield* openDatabase(yield* migratedFile(tablePrefix))
    return [yield* openGuest(database, { tablePrefix }), transactInTurn(database, library)] as const
  }),
  isEmbedded: true,
  isEngine: contracts.sqliteLibraries.includes(library)
})

const onPostgres = (library: HostLibraryName): Row => {
  const opened = stores.library(library)
  const isTried = contracts.hostLibraries.includes(library)
  return {
    name: `${library} on PostgreSQL`,
    storage: stores.storage(library),
    open: Effect.gen(function* () {
      return [yield* stores.petstores.open, transactOn(yield* opened)] as const
    }),
    isEmbedded: isTried,
    isEngine: isTried
  }
}

for (const row of [...sqliteLibraries.map(onSqlite), ...hostLibraryNames.map(onPostgres)]) {
  const { isEmbedded, isEngine, name, open, storage } = row
  const cases = [
    ...(storage === undefined
      ? []
      : inGroups(storageContract(storage), ["storage: transactions of a host application"])),
    ...(isEmbedded
      ? inGroups(embeddedContract({ open: Effect.map(open, (hosted) => withHostTransactions(...hosted)) }), [
          "bodies that run once"
        ])
      : []),
    ...(isEngine
      ? contracts.sampled(
          petstoreContract({
            open: Effect.map(open, (hosted) => inHostTransactions(...hosted)),
            afterEach: checkInvariants
          })
        )
      : [])
  ]
  describe(`given transactions of ${name}`, () => registerContract(cases, { describe, it }))
}
