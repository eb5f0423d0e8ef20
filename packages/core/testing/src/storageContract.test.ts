import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { type PetRecord, Storage, type StorageAdapter, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { inGroups } from "./ContractCase.ts"
import { runContract } from "./runContract.ts"
import { Patience } from "./storage/overlap.ts"
import type { StorageFixture, Store } from "./storage/StorageFixture.ts"
import { storageContract } from "./storageContract.ts"

/** Breaks one promise of a store. */
type Fault = (store: Store) => Store

const contractOf = (fault: Fault, claims: Pick<StorageFixture, "writers"> = {}) => {
  const adapters = new WeakMap<Store, StorageAdapter>()
  const open = (adapter: StorageAdapter) =>
    Effect.map(Layer.build(Layer.fresh(adapter.layer)), (context) => {
      const store = fault({ ...Context.get(context, Storage) })
      adapters.set(store, adapter)
      return store
    })
  return storageContract({
    open: Effect.suspend(() => open(memory())),
    openAnother: (store) => open(adapters.get(store) ?? memory()),
    ...claims
  })
}

const withPets = (store: Store, pets: Partial<Store["pets"]>): Store => ({ ...store, pets: { ...store.pets, ...pets } })

/** Remembers the pets that it has read until it changes something itself. */
const deafToNeighbours: Fault = (store) => {
  const known = new Map<number, PetRecord>()
  const forget = Effect.sync(() => known.clear())
  return withPets(
    { ...store, transact: (body) => Effect.ensuring(store.transact(body), forget) },
    {
      find: (id) =>
        Effect.gen(function* () {
          const found = yield* store.pets.find(id)
          if (found === undefined || Option.isSome(yield* Effect.serviceOption(Transaction))) return found
          if (!known.has(id)) known.set(id, structuredClone(found))
          return structuredClone(known.get(id))
        })
    }
  )
}

/** Returns the same object for each pet, and keeps it up to date. */
const livingRecords: Fault = (store) => {
  const records = new Map<number, PetRecord>()
  return withPets(store, {
    find: (id) =>
      Effect.map(store.pets.find(id), (found) => {
        if (found === undefined) return undefined
        const record = Object.assign(records.get(id) ?? {}, found)
        records.set(id, record)
        return record
      })
  })
}

/** Decides now and then on a row that was locked before. */
const losesUpdates: Fault = (store) => {
  const locked = new Map<number, PetRecord>()
  return withPets(store, {
    lock: (id) =>
      Effect.map(store.pets.lock(id), (pet) => {
        const found = locked.get(id) ?? pet
        if (pet !== undefined && !locked.delete(id)) locked.set(id, pet)
        return found
      })
  })
}

/** Shows changes before they are committed, and when they are taken back. */
const dirtyReads: Fault = (store) => {
  const saved = new Map<number, PetRecord>()
  return withPets(store, {
    save: (pet) =>
      Effect.andThen(
        store.pets.save(pet),
        Effect.sync(() => void saved.set(pet.id, pet))
      ),
    find: (id) => Effect.map(store.pets.find(id), (pet) => (pet === undefined ? pet : (saved.get(id) ?? pet)))
  })
}

const keepsWhatFails: Fault = (store) => ({
  ...store,
  transact: (body) => Effect.flatten(store.transact(Effect.exit(body)))
})

const faults: ReadonlyArray<readonly [string, Fault, ReadonlyArray<string>]> = [
  ["loses updates", losesUpdates, ["storage: races"]],
  ["shows what is not committed", dirtyReads, ["storage: isolation"]],
  ["keeps what a failing body did", keepsWhatFails, ["storage: transactions"]],
  ["sees no change that another store has made", deafToNeighbours, ["storage: isolation"]],
  ["changes what was read before", livingRecords, ["storage: pets"]],
  [
    "lists in the wrong order",
    (store) => withPets(store, { list: (query) => Effect.map(store.pets.list(query), (pets) => [...pets].reverse()) }),
    ["storage: lists of pets"]
  ],
  ["reads a snapshot as it comes", (store) => ({ ...store, snapshot: (body) => body }), ["storage: snapshots"]]
]

describe("given a store that breaks one promise", () => {
  for (const [what, fault, groups] of faults) {
    it.live(`when it ${what}, then the contract fails where that is promised`, () =>
      Effect.gen(function* () {
        const { failed } = yield* runContract(inGroups(contractOf(fault), groups))
        assert.notStrictEqual(failed.length, 0)
      })
    )
  }
})

describe("given a store that breaks none", () => {
  it.live("then nothing fails where these faults are found", () =>
    Effect.gen(function* () {
      const wanted = new Set(faults.flatMap(([, , groups]) => groups))
      const report = yield* runContract(
        inGroups(
          contractOf((store) => store),
          [...wanted]
        )
      )
      assert.deepStrictEqual(report.failed, [])
      assert.deepStrictEqual(new Set(report.passed.map(({ group }) => group)), wanted)
    })
  )
})

describe("given a fixture that says of a store with one writer that it has many", () => {
  it.live("then the case about that fails", () =>
    Effect.gen(function* () {
      const cases = contractOf((store) => store, { writers: "many" }).filter(({ name }) =>
        /^transactions of two/.test(name)
      )
      const { failed, passed } = yield* Effect.provideService(runContract(cases), Patience, 200)
      assert.deepStrictEqual([failed.length, passed.length], [1, 0])
    })
  )
})
