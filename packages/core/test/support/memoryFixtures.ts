import { createPetstore, memory, type Petstore, type PetstoreOptions, type StorageAdapter } from "@petstore/core"
import type { EmbeddedFixture, StorageFixture, Store } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { SynchronousConnection } from "../../src/adapter-toolkit/SynchronousConnection.ts"
import { StorageFull } from "../../src/domain/errors/ServiceErrors.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { memoryStore } from "../../src/memory/MemoryStorage.ts"

/** A database whose next commit, or next write, fails once. */
class FaultyDatabase extends MemoryDatabase {
  failNextCommit = false
  loseNextTransaction = false

  override transaction<A>(work: () => A): A {
    return super.transaction(() => {
      const { failNextCommit, loseNextTransaction } = this
      this.failNextCommit = false
      this.loseNextTransaction = false
      if (loseNextTransaction) throw new StorageFull({})
      const value = work()
      if (failNextCommit) throw new Error("The commit failed")
      return value
    })
  }
}

const opened = new WeakMap<Store, FaultyDatabase>()

const databaseOf = (store: Store): FaultyDatabase => {
  const database = opened.get(store)
  if (database === undefined) throw new Error("The store is not of this fixture")
  return database
}

const open = (database: FaultyDatabase) =>
  Effect.map(SynchronousConnection.open(database), (connection) => {
    const store = memoryStore(connection, database)
    opened.set(store, database)
    return store
  })

/** How the contract opens stores in memory, and makes them fail. */
export const memoryStores: StorageFixture = {
  open: Effect.suspend(() => open(new FaultyDatabase())),
  openAnother: (store) => Effect.suspend(() => open(databaseOf(store))),
  faults: {
    failNextCommit: (store) =>
      Effect.sync(() => {
        databaseOf(store).failNextCommit = true
      }),
    loseNextTransaction: (store) =>
      Effect.sync(() => {
        databaseOf(store).loseNextTransaction = true
      })
  }
}

const storages = new WeakMap<Petstore, StorageAdapter>()

const openOn = (storage: StorageAdapter, options: PetstoreOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ ...options, storage })
      storages.set(petstore, storage)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** How the contracts open petstores in memory. The lock checks pass every statement on, so nothing of a run without them is lost. */
export const memoryPetstores = {
  open: Effect.suspend(() => openOn(withLockChecks(memory()))),
  openWith: (options: PetstoreOptions) => Effect.suspend(() => openOn(withLockChecks(memory()), options)),
  openAnother: (petstore: Petstore, options?: PetstoreOptions) => openOn(storages.get(petstore) ?? memory(), options)
} satisfies EmbeddedFixture
