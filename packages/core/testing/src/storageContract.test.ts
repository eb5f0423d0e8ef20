import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { InternalError, StorageFull } from "@petstore/core/domain"
import { type Command, Failed, type Yielded } from "@petstore/core/kernel"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inGroups } from "./ContractCase.ts"
import { modelContract } from "./modelContract.ts"
import { embeddedContract, petstoreContract } from "./petstoreContract.ts"
import { runContract } from "./runContract.ts"
import type { StorageFixture, Store } from "./storage/StorageFixture.ts"
import { storageContract } from "./storageContract.ts"
import { untyped } from "./untyped.ts"

/** Breaks one promise of a store. */
type Fault = (store: Store) => Store

const contractOf = (fault: Fault, claims: Pick<StorageFixture, "writers" | "faults"> = {}) => {
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

const countsCallsAsCommits: Fault = (store) => {
  let calls = 0
  return {
    ...store,
    run: (begin, command) => Effect.tap(store.run(begin, command), () => Effect.sync(() => calls++)),
    activity: new Proxy(store.activity, {
      get: (activity, name) => (name === "commits" ? activity.commits + calls : Reflect.get(activity, name))
    })
  }
}

/** Runs a command, takes back what it did, and returns its result nevertheless. */
const forgotten: (store: Store) => Store["run"] = (store) => (begin, command) => {
  const kept = { value: undefined as unknown }
  const run = store.run((tx, context) => {
    const steps = begin(tx, context)
    return (function* (): Generator<Yielded, never, unknown> {
      kept.value = yield* steps
      return yield* new Failed(kept)
    })()
  }, command)
  return Effect.catch(run, (error) => (error === kept ? Effect.succeed(kept.value) : Effect.fail(error))) as never
}

/** A store whose next commit fails on demand, with those that run before the event loop turns. `others`: how these end. */
const failing = (error: () => StorageError, others: "fail" | "succeed") => {
  const armed = new WeakSet<Store>()
  const fault: Fault = (store) => {
    let isFailing = false
    const lead = Effect.gen(function* () {
      isFailing = true
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      isFailing = false
      return yield* Effect.fail(error())
    })
    const broken: Store = {
      ...store,
      ready: Effect.suspend(() => (armed.delete(broken) || isFailing ? lead : store.ready)),
      run: (begin, command) =>
        Effect.suspend(() => {
          if (armed.delete(broken) || (isFailing && others === "fail")) return lead
          return (isFailing ? forgotten(store) : store.run)(begin, command)
        })
    }
    return broken
  }
  const arm = (store: Store) => Effect.sync(() => armed.add(store))
  return { fault, claims: { faults: { failNextCommit: arm, loseNextTransaction: arm } } }
}

const faults: ReadonlyArray<readonly [string, Fault, ReadonlyArray<string>]> = [
  ["counts a commit for each call", countsCallsAsCommits, ["storage: activity"]],
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

describe("given a store whose commits fail on demand", () => {
  const groups = ["storage: failures at COMMIT", "storage: lost transactions"]
  const failuresOf = ({ claims, fault }: ReturnType<typeof failing>) =>
    Effect.map(runContract(inGroups(contractOf(fault, claims), groups)), ({ failed }) => failed.map(({ name }) => name))
  const full = () => new StorageFull({})

  it.live("when all that share a commit fail with it, then nothing fails", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failuresOf(failing(full, "fail")), [])
    })
  )

  it.live("when it reports a full disk as an internal error, then the contract fails", () =>
    Effect.gen(function* () {
      const failures = yield* failuresOf(failing(() => new InternalError({}), "fail"))
      assert.deepStrictEqual(failures, [
        "a transaction that a full disk has ended fails with storage_full, and what was committed can be read"
      ])
    })
  )

  it.live("when the others that share a failed commit succeed, then the contract fails", () =>
    Effect.gen(function* () {
      const failures = yield* failuresOf(failing(full, "succeed"))
      const wanted = "if one of many concurrent transactions fails, exactly those that succeeded are committed"
      assert.lengthOf(
        failures.filter((name) => name === wanted),
        2
      )
    })
  )
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

describe("given a fixture with a field that its contract does not know", () => {
  const open = Effect.die("not opened")

  it("then the contract refuses it, because its cases would be skipped", () => {
    const fixtures: Readonly<Record<string, () => unknown>> = {
      "storageContract does not know the option fault; did you mean faults?": () =>
        storageContract(untyped({ open, openAnother: () => open, fault: {} })),
      "petstoreContract does not know the option asUser": () => petstoreContract(untyped({ open, asUser: () => {} })),
      "embeddedContract does not know the option backup; did you mean backups?": () =>
        embeddedContract(untyped({ open, backup: {} })),
      "modelContract does not know the option openAll": () => modelContract(untyped({ open, openAll: open })),
      "The option open takes an effect that opens a petstore": () => petstoreContract(untyped({}))
    }
    for (const [message, make] of Object.entries(fixtures)) assert.throws(make, message)
  })
})
