import { assert, describe, it } from "@effect/vitest"
import { registerContract, type Store, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import { StorageFull } from "../domain/errors/ServiceErrors.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { memoryStore } from "./MemoryStorage.ts"

/** A database whose next commit, or next write, fails once. */
class FaultyDatabase extends MemoryDatabase {
  failNextCommit = false
  loseNextTransaction = false
  private nesting = 0

  override transaction(body: () => boolean): void {
    const fails = () => this.nesting === 0 && this.failNextCommit
    super.transaction(() => {
      this.nesting++
      const keep = body()
      this.nesting--
      return keep && !fails()
    })
    if (!fails()) return
    this.failNextCommit = false
    throw new Error("The commit failed")
  }

  override errorOf(thrown: unknown): StorageError {
    return thrown instanceof StorageFull ? thrown : super.errorOf(thrown)
  }
}

class FaultyConnection extends SynchronousConnection {
  private readonly faulty: FaultyDatabase

  constructor(database: FaultyDatabase) {
    super(database)
    this.faulty = database
  }

  override write<A>(operation: () => A) {
    return super.write(() => {
      if (!this.faulty.loseNextTransaction) return operation()
      this.faulty.loseNextTransaction = false
      throw new StorageFull({})
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
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new FaultyConnection(database)),
      ({ close }) => close
    ),
    (connection) => {
      const store = memoryStore(connection, database)
      opened.set(store, database)
      return store
    }
  )

const cases = storageContract({
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
})

describe("memory", () => {
  registerContract(cases, { describe, it })

  it("given memory, then it skips no case of the contract", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
