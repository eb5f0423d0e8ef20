import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import type { EmbeddedFixture, StorageFixture, Store } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { sqlite } from "../../src/sqlite/sqlite.ts"
import { openStore } from "../../src/sqlite/store.ts"
import { type Faults, faultsOf } from "./faults.ts"
import { openTransaction } from "./HostLibrary.ts"
import { openDatabase } from "./host.ts"
import { openLibrary } from "./libraries.ts"
import { migratedFile } from "./migratedFile.ts"
import { temporaryFileInMemory } from "./temporary.ts"

interface Opened {
  readonly file: string
  readonly faults: Faults
}

const opened = new WeakMap<Store, Opened>()

const of = (store: Store): Opened => {
  const known = opened.get(store)
  if (known === undefined) throw new Error("The store is not of this fixture")
  return known
}

// A prefix of its own: a statement that leaves it out finds no table. The default prefix is that of all other tests.
const tablePrefix = "shop_"

const open = (file: string) =>
  Effect.map(openStore({ file, tablePrefix }), ({ store, writer }) => {
    opened.set(store, { file, faults: faultsOf(writer) })
    return store
  })

/** How the contract opens stores on SQLite, and makes them fail. The host uses this library. */
export const sqliteStoresWith = (library: string): StorageFixture => ({
  open: Effect.flatMap(migratedFile(tablePrefix), open),
  openAnother: (store) => Effect.suspend(() => open(of(store).file)),
  faults: {
    failNextCommit: (store) =>
      Effect.sync(() => {
        of(store).faults.commit = true
      }),
    loseNextTransaction: (store) =>
      Effect.sync(() => {
        of(store).faults.write = true
      })
  },
  host: {
    begin: (store) =>
      Effect.flatMap(openDatabase(of(store).file), (database) => openTransaction(openLibrary(library, database)))
  }
})

export const sqliteStores = sqliteStoresWith("node:sqlite")

const files = new WeakMap<Petstore, string>()

const openPetstore = (file: string, options: PetstoreOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ ...options, storage: sqlite(file) })
      files.set(petstore, file)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** How the contracts open petstores on SQLite. */
export const sqlitePetstores = {
  open: Effect.flatMap(migratedFile(), (file) => openPetstore(file)),
  openWith: (options: PetstoreOptions) => Effect.flatMap(temporaryFileInMemory, (file) => openPetstore(file, options)),
  openAnother: (petstore: Petstore, options?: PetstoreOptions) =>
    openPetstore(files.get(petstore) ?? "unknown", options),
  backups: { file: temporaryFileInMemory, open: (file: string) => openPetstore(file) }
} satisfies EmbeddedFixture
