import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { aCategoryRecord } from "../../../testing/src/builders.ts"
import { outcome } from "../../../testing/src/storage/outcomes.ts"
import { newAccount, newConsumer, newEvent, newParkedEvent } from "../../../testing/src/storage/rows.ts"
import { untyped } from "../../../testing/src/untyped.ts"
import { StorageBusy, StorageUnavailable } from "../../domain/errors/ServiceErrors.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import { query } from "../../kernel/Table.ts"
import type { Transaction } from "../../kernel/Transaction.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Storage } from "../../ports/Storage.ts"
import type { AccountRecord } from "../../tables/accessTables.ts"
import type { IdempotencyRecord } from "../../tables/idempotencyTable.ts"
import {
  accounts,
  accountsByName,
  categories,
  consumers,
  events,
  idempotencyKeys,
  orders,
  parkedEvents,
  parkedEventsOf,
  pets,
  recordedEvents
} from "../../tables/index.ts"
import { Recording } from "./Recording.ts"

type Store = Storage["Service"]
type Step = (tx: Transaction) => Command<unknown>

const shop: AccountRecord = { ...newAccount("Shop"), account: { ...newAccount("Shop").account, id: 1 } }
const renamed: AccountRecord = { ...shop, account: { ...shop.account, name: "Mill" } }

const opened = Effect.map(
  Effect.suspend(() => Layer.build(memory().layer)),
  (services) => Context.get(services, Storage)
)

const saving = (row: AccountRecord): Step =>
  function* (tx) {
    if ((yield* tx.lock(accounts, row.account.id)) === undefined) tx.add(accounts, row)
    else tx.save(accounts, row)
  }

const removing: Step = function* (tx) {
  const row = yield* tx.lock(accounts, 1)
  if (row !== undefined) tx.remove(accounts, row)
}

const appending: Step = function* (tx) {
  tx.append(events, [newEvent(1)])
}

const settled = (store: Store, recording: Recording) =>
  Effect.map(Effect.exit(store.run((tx) => recording.settle(tx))), outcome)

/** Steps of a transaction, and of others between them; the end of the transaction. */
const end = (steps: ReadonlyArray<readonly ["own" | "other", Step]>) =>
  Effect.gen(function* () {
    const store = yield* opened
    const recording = new Recording(store)
    for (const [by, step] of steps) yield* by === "own" ? recording.run(step) : store.run(step)
    return yield* settled(store, recording)
  })

const find: Step = function* (tx) {
  yield* tx.find(accounts, 1)
}

const allAccounts = query(accounts, "allAccounts", (after: number) => [{ after: [after] }])

const readings: Readonly<Record<string, Step>> = {
  "a row by its key": function* (tx) {
    yield* tx.findAll(accounts, [1])
  },
  "a list of one row at most": function* (tx) {
    yield* tx.all(accountsByName, shop.nameKey, 5)
  },
  "a list": function* (tx) {
    yield* tx.all(allAccounts, 0, 5)
  },
  "a count": function* (tx) {
    yield* tx.count(accountsByName, shop.nameKey, 5)
  }
}

describe("given a transaction that reads something twice, and others that change it between and put it back", () => {
  for (const [what, read] of Object.entries(readings)) {
    it.effect(`when it is ${what}, then the transaction is busy, since one of both was never so at its end`, () =>
      Effect.gen(function* () {
        const own = ["own", read] as const
        assert.strictEqual(yield* end([own, ["other", saving(shop)], own]), "StorageBusy", "it was added for good")
        assert.strictEqual(
          yield* end([own, ["other", saving(shop)], own, ["other", removing]]),
          "StorageBusy",
          "it was added"
        )
        assert.strictEqual(
          yield* end([["other", saving(shop)], own, ["other", removing], own, ["other", saving(shop)]]),
          "StorageBusy",
          "it was removed"
        )
        assert.strictEqual(yield* end([["other", saving(shop)], own, own]), "ok", "nothing has changed")
      })
    )
  }

  it.effect("when it is a row that was changed, then the transaction is busy", () =>
    Effect.gen(function* () {
      const again = readings["a row by its key"] ?? find
      const steps = [
        ["own", find],
        ["other", saving(renamed)],
        ["own", again],
        ["other", saving(shop)]
      ] as const
      assert.strictEqual(yield* end([["other", saving(shop)], ...steps]), "StorageBusy")
    })
  )
})

const listing = (limit: number): Step =>
  function* (tx) {
    yield* tx.all(allAccounts, 0, limit)
  }

const counting = (limit: number): Step =>
  function* (tx) {
    yield* tx.count(allAccounts, 0, limit)
  }

const second: AccountRecord = { ...shop, account: { ...shop.account, id: 2, name: "Second" }, nameKey: "second" }

describe("given a transaction that reads the same list up to several limits, and another adds a row to it", () => {
  for (const [what, steps, ends] of [
    ["the longer one first, and the row is behind the shorter one", [listing(5), listing(1)], "StorageBusy"],
    ["the shorter one first, and the row is behind it", [listing(1), listing(5)], "StorageBusy"],
    ["none up to the row", [listing(1), listing(1)], "ok"],
    ["its total up to there, last", [counting(1), counting(5)], "StorageBusy"],
    ["its total up to there, first", [counting(5), counting(1)], "StorageBusy"],
    ["no total up to the row", [counting(1), counting(1)], "ok"]
  ] as const) {
    it.effect(`when it has read ${what}, then its end is ${ends}`, () =>
      Effect.gen(function* () {
        const own = steps.map((step) => ["own", step] as const)
        assert.strictEqual(yield* end([["other", saving(shop)], ...own, ["other", saving(second)]]), ends)
        assert.strictEqual(yield* end([["other", saving(shop)], ...own]), "ok")
      })
    )
  }
})

/** What the end of a transaction of these steps asks a store with a shop, in this order, such as `lock accounts 1`. */
const asked = (steps: ReadonlyArray<(tx: Transaction) => Command<unknown, string>>) =>
  Effect.gen(function* () {
    const store = yield* opened
    yield* store.run(saving(shop))
    const recording = new Recording(store)
    for (const step of steps) yield* Effect.ignore(recording.run(step))
    const calls: Array<string> = []
    const spied = (tx: Transaction): Transaction =>
      new Proxy(tx, {
        get: (_, name) => {
          const method: unknown = Reflect.get(tx, name)
          if (typeof method !== "function") return method
          return (...args: ReadonlyArray<unknown>): unknown => {
            const [of, key] = args
            calls.push(`${String(name)} ${Reflect.get(Object(of), "name")} ${key}`)
            return Reflect.apply(method, tx, args)
          }
        }
      })
    yield* store.run((tx) => recording.settle(spied(tx)))
    return calls
  })

describe("given the end of a transaction", () => {
  const lock: Step = function* (tx) {
    yield* tx.lock(accounts, 1)
  }
  const last: Step = function* (tx) {
    yield* tx.last(recordedEvents)
  }
  const missing: Step = function* (tx) {
    yield* tx.find(accounts, 9)
  }
  const missingKey: Step = function* (tx) {
    yield* tx.find(idempotencyKeys, "0 none")
  }
  const named: Step = function* (tx) {
    yield* tx.all(accountsByName, shop.nameKey, 5)
  }

  it.effect("when a row was found and locked, in either order, then it is locked; otherwise its lock is shared", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked([find]), ["lockShared accounts 1"])
      assert.deepStrictEqual(yield* asked([find, lock]), ["lock accounts 1"])
      assert.deepStrictEqual(yield* asked([lock, find]), ["lock accounts 1"])
      const failed = function* (tx: Transaction): Command<never, string> {
        yield* tx.lock(accounts, 1)
        return yield* fail("no")
      }
      assert.deepStrictEqual(yield* asked([failed, find]), ["lock accounts 1"])
    })
  )

  it.effect("when it writes and depends on what it has not found, then it waits for its turn before it locks", () =>
    Effect.gen(function* () {
      const turn = "first transactionTurn undefined"
      for (const step of [missing, listing(5), counting(5), last]) {
        assert.strictEqual((yield* asked([appending, find, step]))[0], turn)
      }
      // Others cannot add what it has not found, or it writes nothing.
      for (const steps of [
        [appending, find],
        [appending, missingKey],
        [appending, named],
        [missing, listing(5), counting(5), last]
      ]) {
        assert.notInclude(yield* asked(steps), turn)
      }
    })
  )

  it.effect("then it saves rows that it has locked, also those that were missing, and adds the others", () =>
    Effect.gen(function* () {
      const inserting: Step = function* (tx) {
        yield* tx.insert(accounts, (id) => ({ ...second, account: { ...second.account, id } }))
      }
      const changes = (steps: ReadonlyArray<Step>) =>
        Effect.map(asked(steps), (calls) => calls.flatMap((call) => /^(?:add|save)/.exec(call) ?? []))
      assert.deepStrictEqual(yield* changes([saving(renamed)]), ["save"])
      assert.deepStrictEqual(yield* changes([saving(second)]), ["save"])
      assert.deepStrictEqual(yield* changes([inserting]), ["add"])
    })
  )

  it.effect("then rows are locked in the order of their tables and keys, whatever the order of the readings", () =>
    Effect.gen(function* () {
      const finding = (table: typeof pets | typeof orders | typeof accounts, key: number): Step =>
        function* (tx) {
          yield* tx.find(table as typeof pets, key)
        }
      const steps = [finding(accounts, 2), finding(pets, 10), finding(pets, 9), finding(orders, 1), find]
      const inOrder = yield* asked(steps)
      assert.deepStrictEqual(yield* asked(steps.toReversed()), inOrder)
      assert.deepStrictEqual(
        inOrder.filter((call) => call.includes("pets")),
        ["lockShared pets 9", "lockShared pets 10"]
      )
    })
  )
})

describe("given a transaction that reads a deleted row among others by their keys", () => {
  it.effect("when nothing changes, then it is not busy", () =>
    Effect.gen(function* () {
      const deletion: Step = function* (tx) {
        tx.add(categories, { ...aCategoryRecord({ id: 1 }), deleted: true })
      }
      const read: Step = function* (tx) {
        yield* tx.findAll(categories, [1])
      }
      const steps = [
        ["other", deletion],
        ["own", read]
      ] as const
      assert.strictEqual(yield* end(steps), "ok")
    })
  )
})

describe("given commands of a transaction", () => {
  it.effect("when one fails, then nothing of it is written, and the others are", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const recording = new Recording(store)
      yield* recording.run(saving(shop))
      const refused = recording.run(function* (tx): Command<never, string> {
        yield* tx.lock(accounts, 1)
        tx.save(accounts, renamed)
        return yield* fail("no")
      })
      assert.strictEqual(yield* Effect.flip(refused), "no")
      assert.strictEqual(yield* settled(store, recording), "ok")
      assert.deepStrictEqual(yield* store.find(accounts, 1), shop)
    })
  )

  it.effect("when they remove a row and append an event, then both are done at the end", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.run(saving(shop))
      const recording = new Recording(store)
      yield* recording.run(removing)
      yield* recording.run(appending)
      assert.strictEqual(yield* settled(store, recording), "ok")
      assert.isUndefined(yield* store.find(accounts, 1))
      assert.strictEqual(yield* store.events.latest, 1)
    })
  )

  it.effect("when one purges a table, then its old rows are gone at the end", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const key: IdempotencyRecord = {
        accountId: 1,
        key: "old",
        operation: "orders.place",
        fingerprint: new Uint8Array(32),
        result: "{}",
        createdAt: "2026-05-04T09:30:00.000Z"
      }
      const keys = [key, { ...key, key: "new", createdAt: "2026-05-05T09:30:00.000Z" }]
      yield* store.run(function* (tx) {
        for (const row of keys) tx.add(idempotencyKeys, row)
      })
      const recording = new Recording(store)
      yield* recording.run(function* (tx) {
        tx.purge(idempotencyKeys, "2026-05-05T00:00:00.000Z", 10)
      })
      assert.deepStrictEqual(
        yield* store.scan(idempotencyKeys, [], 5),
        keys.toSorted((a, b) => (a.key < b.key ? -1 : 1))
      )
      assert.strictEqual(yield* settled(store, recording), "ok")
      assert.deepStrictEqual(yield* store.scan(idempotencyKeys, [], 5), keys.slice(1))
    })
  )

  it.effect("when one reads ten thousand times, then it ends", () =>
    Effect.gen(function* () {
      const recording = new Recording(yield* opened)
      const reading = recording.run(function* (tx) {
        let reads = 0
        while (reads < 10_000) reads += 1 + (yield* tx.last(recordedEvents))
        return reads
      })
      assert.strictEqual(yield* reading, 10_000)
    })
  )

  it.effect("when the store fails one of its reads, then the command fails so, and sees nothing of it", () =>
    Effect.gen(function* () {
      const refused = new StorageUnavailable({})
      const recording = new Recording({ ...(yield* opened), find: () => Effect.fail(refused) })
      const seen: Array<unknown> = []
      const reading = recording.run(function* (tx) {
        seen.push(yield* tx.find(accounts, 1))
      })
      assert.strictEqual(yield* Effect.flip(reading), refused)
      assert.deepStrictEqual(seen, [])
    })
  )

  it.effect("when one creates a row in a storage that cannot reserve ids, then it dies and says so", () =>
    Effect.gen(function* () {
      const recording = new Recording({ ...(yield* opened), reserve: untyped(undefined) })
      const creating = recording.run(function* (tx) {
        yield* tx.insert(accounts, () => shop)
      })
      assert.match(
        Cause.pretty(yield* Effect.flip(Effect.sandbox(creating))),
        /TypeError: This storage cannot reserve ids/
      )
    })
  )

  it.effect("when one reads the end of a list, and a row is added behind it, then the transaction is busy", () =>
    Effect.gen(function* () {
      const backwards = query(accounts, "backwards", () => [{}], { isReversed: true })
      const last: Step = function* (tx) {
        yield* tx.all(backwards, undefined, 1)
      }
      const steps = [
        ["other", saving(shop)],
        ["own", last]
      ] as const
      assert.strictEqual(yield* end(steps), "ok")
      assert.strictEqual(yield* end([...steps, ["other", saving(second)]]), "StorageBusy")
    })
  )

  it.effect("when two run at the same time, then each gets its own answers", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.run(saving(shop))
      const find: Store["find"] = (table, key) => Effect.andThen(Effect.yieldNow, store.find(table, key))
      const recording = new Recording({ ...store, find })
      yield* Effect.all([recording.run(saving(renamed)), recording.run(saving(second))], { concurrency: "unbounded" })
      assert.strictEqual(yield* settled(store, recording), "ok")
      assert.deepStrictEqual([yield* store.find(accounts, 1), yield* store.find(accounts, 2)], [renamed, second])
    })
  )
})

describe("given a transaction that reads the log of events", () => {
  const scan = (limit: number): Step =>
    function* (tx) {
      yield* tx.scan(recordedEvents, 0, limit)
    }
  const last: Step = function* (tx) {
    yield* tx.last(recordedEvents)
  }

  for (const [what, read, ends] of [
    ["its end", last, "StorageBusy"],
    ["a page up to its end", scan(2), "StorageBusy"],
    ["a full page", scan(1), "ok"]
  ] as const) {
    it.effect(`when it has read ${what}, and an event follows, then the end is ${ends}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* end([
            ["other", appending],
            ["own", read],
            ["other", appending]
          ]),
          ends
        )
        assert.strictEqual(
          yield* end([
            ["other", appending],
            ["own", read]
          ]),
          "ok"
        )
      })
    )
  }
})

describe("given a transaction that reads the end of the log twice, and an event is added between", () => {
  it.effect("then it is busy, since the first was never so at its end", () =>
    Effect.gen(function* () {
      const ends: Step = function* (tx) {
        yield* tx.last(recordedEvents)
      }
      const steps = [
        ["own", ends],
        ["other", appending],
        ["own", ends]
      ] as const
      assert.strictEqual(yield* end(steps), "StorageBusy")
    })
  )
})

describe("given a transaction that scans several tables, or one behind several keys", () => {
  it.effect("then each scan is a reading of its own", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.run(saving(shop))
      const recording = new Recording(store)
      const lists = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].map(
        (after): Step =>
          function* (tx) {
            yield* tx.all(
              query(accounts, "byKey", (from: number) => [{ after: [from] }]),
              after,
              5
            )
          }
      )
      for (const list of lists) yield* recording.run(list)
      assert.strictEqual(yield* settled(store, recording), "ok")
    })
  )
})

describe("given a transaction that creates a row with an id that was reserved", () => {
  it.effect("when another process has used the id, then the transaction is busy, and that row stays", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const recording = new Recording({ ...store, reserve: () => Effect.succeed([1]) })
      yield* recording.run(function* (tx) {
        yield* tx.insert(accounts, (id) => ({ ...renamed, account: { ...renamed.account, id } }))
      })
      yield* store.run(saving(shop))
      assert.strictEqual(yield* settled(store, recording), "StorageBusy")
      assert.deepStrictEqual(yield* store.find(accounts, 1), shop)
    })
  )
})

describe("given a transaction that changes a row whose owner it has locked", () => {
  it.effect("when it ends, then the row replaces the one that it has read", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const consumer = newConsumer()
      const parked = newParkedEvent({ consumer: consumer.name, replay: false })
      yield* store.run(function* (tx) {
        tx.add(consumers, consumer)
        tx.add(parkedEvents, parked)
      })
      const recording = new Recording(store)
      yield* recording.run(function* (tx) {
        yield* tx.lock(consumers, consumer.name)
        yield* tx.all(parkedEventsOf, { consumer: consumer.name, after: 0 }, 5)
        tx.save(parkedEvents, { ...parked, replay: true })
      })
      const writes = yield* store.run(function* (tx) {
        yield* recording.settle(tx)
        return tx.writes
      })
      assert.deepInclude(writes[0], { row: { ...parked, replay: true }, before: parked })
    })
  )
})

describe("given a transaction that selects by a query for one reader at a time", () => {
  it.effect("when it ends, then it selects by the same query", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const recording = new Recording(store)
      const alone = query(accounts, "accountsAlone", (after: number) => [{ after: [after] }], { isExclusive: true })
      yield* recording.run(function* (tx) {
        yield* tx.all(alone, 0, 5)
      })
      const queries = yield* store.run(function* (tx) {
        const all = vi.spyOn(tx, "all")
        yield* recording.settle(tx)
        return all.mock.calls.map(([{ isExclusive, name }]) => ({ isExclusive, name }))
      })
      assert.deepStrictEqual(queries, [{ isExclusive: true, name: "accountsAlone" }])
    })
  )
})

describe("given a command that fails in a transaction", () => {
  const failing = function* (): Command<never, string> {
    return yield* fail("no")
  }

  it.effect("when what the transaction has read has changed, then it is busy; otherwise it fails by itself", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.run(saving(shop))
      const recording = new Recording(store)
      yield* recording.run(find)
      assert.strictEqual(yield* Effect.flip(recording.run(failing)), "no")
      yield* store.run(saving(renamed))
      assert.instanceOf(yield* Effect.flip(recording.run(failing)), StorageBusy)
    })
  )
})
