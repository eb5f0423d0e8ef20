import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { outcome } from "../../testing/src/storage/outcomes.ts"
import { newAccount, newEvent } from "../../testing/src/storage/rows.ts"
import type { AccountRecord } from "../access/accessTables.ts"
import { StorageBusy } from "../domain/errors/ServiceErrors.ts"
import { type Command, fail } from "../engine/Command.ts"
import { query } from "../engine/Table.ts"
import type { Transaction } from "../engine/Transaction.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage } from "../ports/Storage.ts"
import { accounts, accountsByName, events, recordedEvents } from "../tables/index.ts"
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
