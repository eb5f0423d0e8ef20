import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { type Command, Failed, type Yielded } from "@petstore/core/engine"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inGroups } from "./ContractCase.ts"
import { runContract } from "./runContract.ts"
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

/** Changes rows that are read; rows are known by their names, such as `pets 1`, which types cannot follow. */
const changed = <Row, E, R>(
  reading: Effect.Effect<Row | undefined, E, R>,
  change: (row: object) => object
): Effect.Effect<Row | undefined, E, R> =>
  Effect.map(reading, (row) => (row === undefined ? row : (change(row as object) as Row)))

/** Remembers the rows that it has read until it changes something itself. */
const deafToNeighbours: Fault = (store) => {
  const known = new Map<string, object>()
  const forget = Effect.sync(() => known.clear())
  const remembered = (name: string, row: object): object => {
    if (!known.has(name)) known.set(name, structuredClone(row))
    return structuredClone(known.get(name) ?? row)
  }
  return {
    ...store,
    run: (begin, command) => Effect.ensuring(store.run(begin, command), forget),
    find: (table, key) => changed(store.find(table, key), (row) => remembered(`${table.name} ${key}`, row))
  }
}

/** Returns the same object for each row, and keeps it up to date. */
const livingRecords: Fault = (store) => {
  const records = new Map<string, object>()
  const living = (name: string, row: object): object => {
    const record = Object.assign(records.get(name) ?? {}, row)
    records.set(name, record)
    return record
  }
  return {
    ...store,
    scan: (table, after, limit) =>
      Effect.map(store.scan(table, after, limit), (rows) =>
        rows.map((row) => living(`${table.name} ${table.keyOf(row)}`, row as object) as typeof row)
      )
  }
}

/** Decides now and then on a row that was locked before. */
const losesUpdates: Fault = (store) => {
  const locked = new Map<string, unknown>()
  return {
    ...store,
    run: (begin, command) =>
      store.run((tx, context) => {
        const lock = tx.lock.bind(tx)
        const seen = new Set<string>()
        const stale = function* (table: { readonly name: string }, key: never): Command<unknown> {
          const row = yield* lock(table as never, key)
          const name = `${table.name} ${key}`
          if (seen.has(name)) return row
          seen.add(name)
          const found = locked.get(name) ?? row
          if (!locked.delete(name)) locked.set(name, row)
          return found
        }
        tx.lock = ((table: never, key: never) => stale(table, key)) as unknown as typeof tx.lock
        return begin(tx, context)
      }, command)
  }
}

/** Shows changes before they are committed, and when they are taken back. */
const dirtyReads: Fault = (store) => {
  const saved = new Map<string, object>()
  return {
    ...store,
    run: (begin, command) =>
      store.run((tx, context) => {
        const save = tx.save.bind(tx)
        tx.save = (table, row) => {
          saved.set(`${table.name} ${table.keyOf(row)}`, row as object)
          save(table, row)
        }
        return begin(tx, context)
      }, command),
    find: (table, key) => changed(store.find(table, key), (row) => saved.get(`${table.name} ${key}`) ?? row)
  }
}

/** Passes what a command yields on, but its failure. */
function* unfailing<Y extends Yielded, A>(command: Generator<Y, A, unknown>): Generator<Y, A | undefined, unknown> {
  let step = command.next()
  while (step.done !== true) {
    if (step.value instanceof Failed) return undefined
    step = command.next(yield step.value)
  }
  return step.value
}

const keepsWhatFails: Fault = (store) => ({
  ...store,
  run: (begin, command) => store.run((tx, context) => unfailing(begin(tx, context)), command) as never
})

const idsFrom = (first: number, count: number) =>
  Effect.succeed(Array.from({ length: count }, (_, index) => first + index))

/** Reserves the ids that the next rows get. */
const forgetsReservations: Fault = (store) => ({
  ...store,
  reserve: (table, count) =>
    Effect.flatMap(store.scan(table, [], 1_000), (rows) => idsFrom(1 + Math.max(0, ...rows.map(table.keyOf)), count))
})

const remembersForEver: Fault = (store) => {
  const known = new Map<string, unknown>()
  return {
    ...store,
    findCached: (table, key) => {
      const name = `${table.name} ${key}`
      if (known.has(name)) return Effect.succeed(known.get(name) as never)
      return Effect.tap(store.find(table, key), (row) => Effect.sync(() => row !== undefined && known.set(name, row)))
    }
  }
}

const faults: ReadonlyArray<readonly [string, Fault, ReadonlyArray<string>]> = [
  ["loses updates", losesUpdates, ["storage: races"]],
  ["shows what is not committed", dirtyReads, ["storage: isolation"]],
  ["keeps what a failing command did", keepsWhatFails, ["storage: transactions"]],
  ["remembers what it has found for ever", remembersForEver, ["storage: transactions"]],
  ["gives a reserved id to another row", forgetsReservations, ["storage: transactions"]],
  [
    "reserves ids of rows that there are",
    (store) => ({ ...store, reserve: (_, count) => idsFrom(1, count) }),
    ["storage: transactions"]
  ],
  ["sees no change that another store has made", deafToNeighbours, ["storage: isolation"]],
  ["changes what was read before", livingRecords, ["storage: tables"]],
  [
    "lists in the wrong order",
    (store) => ({
      ...store,
      select: (query, argument, limit) =>
        Effect.map(store.select(query, argument, limit), (rows) => [...rows].reverse())
    }),
    ["storage: queries"]
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
      const { failed, passed } = yield* runContract(cases)
      assert.deepStrictEqual([failed.length, passed.length], [1, 0])
    })
  )
})
