import { assert, describe, it } from "@effect/vitest"
import { registerContract, type Store, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { type MemoryFaults, noFaults } from "./MemoryFaults.ts"
import { openMemory } from "./MemoryStorage.ts"

interface Opened {
  readonly database: MemoryDatabase
  readonly faults: MemoryFaults
}

const opened = new WeakMap<Store, Opened>()

const of = (store: Store): Opened => {
  const known = opened.get(store)
  if (known === undefined) throw new Error("The store is not of this fixture")
  return known
}

const open = (faults: MemoryFaults, database: MemoryDatabase) =>
  Effect.tap(openMemory(database), (store) => Effect.sync(() => opened.set(store, { database, faults })))

const cases = storageContract({
  open: Effect.suspend(() => {
    const faults = noFaults()
    return open(faults, new MemoryDatabase(faults))
  }),
  openAnother: (store) => Effect.suspend(() => open(of(store).faults, of(store).database)),
  faults: {
    failNextCommit: (store) =>
      Effect.sync(() => {
        of(store).faults.failNextCommit = true
      }),
    loseNextTransaction: (store) =>
      Effect.sync(() => {
        of(store).faults.loseNextTransaction = true
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
