import { renameSync } from "node:fs"
import { StatementSync } from "node:sqlite"
import { assert, describe, it, vi } from "@effect/vitest"
import type { Storage } from "@petstore/core/ports"
import { type ApiKeyRecord, accounts, apiKeys } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { addCategory, addRow, anAccountRecord } from "../../../test/support/rows.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"

type Store = Storage["Service"]

const at = "2026-01-01T00:00:00.000Z"

const addKey = (store: Store) =>
  store.run(function* (tx) {
    const accountId = yield* addRow(tx, accounts, anAccountRecord("Shop"))
    const key = { id: 0, accountId, name: "till", scopes: ["pets:read"] as const, createdAt: at }
    return yield* addRow(tx, apiKeys, { key, digest: new Uint8Array(32), revoked: false })
  })

const change = (store: Store, id: number, changes: Partial<ApiKeyRecord>, then = () => {}) =>
  store.run(function* (tx) {
    const record = yield* tx.lock(apiKeys, id)
    if (record !== undefined) tx.save(apiKeys, { ...record, ...changes })
    then()
  })

const nameOf = (store: Store, id: number) => Effect.map(store.find(apiKeys, id), (record) => record?.key.name)

const digestOf = (store: Store, id: number) => Effect.map(store.find(apiKeys, id), (record) => record?.digest[0])

const opened = Effect.gen(function* () {
  const file = yield* temporaryFileInMemory
  const store = yield* openSqlite(file)
  const id = yield* addKey(store)
  assert.strictEqual(yield* nameOf(store, id), "till")
  return { file, store, id }
})

describe("an API key that was read before", () => {
  it.effect("is not found any more once this store has revoked it", () =>
    Effect.gen(function* () {
      const { id, store } = yield* opened
      yield* change(store, id, { revoked: true })
      assert.isUndefined(yield* nameOf(store, id))
    })
  )

  it.effect("is not found any more once another store on the file has revoked it", () =>
    Effect.gen(function* () {
      const { file, id, store } = yield* opened
      const other = yield* openSqlite(file)
      yield* change(other, id, { revoked: true })
      assert.isUndefined(yield* nameOf(store, id))
    })
  )

  it.effect("is one frozen row for all requests until it changes, and a row of their own for those who read keys", () =>
    Effect.gen(function* () {
      const { id, store } = yield* opened
      const row = Effect.suspend(() => store.findCached?.(apiKeys, id, {}) ?? Effect.die("It has no cache"))
      const first = yield* row
      assert.isDefined(first)
      assert.strictEqual(yield* row, first)
      assert.isTrue(Object.isFrozen(first) && Object.isFrozen(first.key) && Object.isFrozen(first.key.scopes))
      assert.isFalse(Object.isFrozen(yield* store.find(apiKeys, id)))
      yield* change(store, id, { digest: new Uint8Array(32).fill(1) })
      assert.notStrictEqual(yield* row, first)
    })
  )

  it.effect("is looked at once for requests that were waiting at the same time, and again for the next", () =>
    Effect.gen(function* () {
      const { file, id, store } = yield* opened
      const isFound = (arrival: object | undefined) =>
        Effect.map(
          store.findCached?.(apiKeys, id, arrival) ?? Effect.die("It has no cache"),
          (found) => found !== undefined
        )
      const arrival = {}
      const before = yield* isFound(arrival)
      const other = yield* openSqlite(file)
      yield* change(other, id, { revoked: true })
      // These were waiting before the key was revoked.
      const meanwhile = yield* isFound(arrival)
      assert.deepStrictEqual([before, meanwhile, yield* isFound({})], [true, true, false])
      assert.deepStrictEqual([yield* isFound(arrival), yield* isFound(undefined)], [false, false])
    })
  )

  it.effect("is not read again after a commit of this store that changed no key", () =>
    Effect.gen(function* () {
      const { id, store } = yield* opened
      const get = vi.spyOn(StatementSync.prototype, "get")
      yield* Effect.addFinalizer(() => Effect.sync(() => get.mockRestore()))
      const statements = Effect.map(nameOf(store, id), (name) => [name, get.mock.calls.length])
      yield* store.run((tx) => addCategory(tx))
      get.mockClear()
      // Two take the lock of reads, and one looks for commits of other connections.
      assert.deepStrictEqual(yield* statements, ["till", 3])
      yield* change(store, id, {})
      get.mockClear()
      assert.deepStrictEqual(yield* statements, ["till", 4])
    })
  )

  it.effect("is found for the fourth request that waits with others, and from then on their reads share a lock", () =>
    Effect.gen(function* () {
      const { id, store } = yield* opened
      const get = vi.spyOn(StatementSync.prototype, "get")
      yield* Effect.addFinalizer(() => Effect.sync(() => get.mockRestore()))
      const statementsFor = (arrival: object) =>
        Array.from({ length: 6 }, () => {
          get.mockClear()
          Effect.runSync(store.findCached?.(apiKeys, id, arrival) ?? Effect.die("It has no cache"))
          return get.mock.contexts.map((statement) => statement instanceof StatementSync && statement.sourceSQL)
        })
      const nextTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      const version = "PRAGMA data_version"
      yield* nextTurn
      assert.deepStrictEqual(statementsFor({}), [[version], [], [], ["BEGIN", version], [], []])
      assert.deepStrictEqual(statementsFor({}), [[version], [], [], [], [], []])
      yield* nextTurn
      assert.deepStrictEqual(statementsFor({})[3], ["BEGIN", version])
    })
  )

  it.effect("is not found any more if this store has revoked it by a commit whose outcome is unknown", () =>
    Effect.gen(function* () {
      const { file, id, store } = yield* opened
      const moving = () => renameSync(file, `${file}.moved`)
      const error = yield* Effect.flip(change(store, id, { revoked: true }, moving))
      assert.strictEqual(error._tag, "CommitUnknown")
      assert.isUndefined(yield* nameOf(store, id))
    })
  )

  it.effect("has its new digest after a rotation by another store, every time", () =>
    Effect.gen(function* () {
      const { file, id, store } = yield* opened
      const other = yield* openSqlite(file)
      for (let digit = 1; digit <= 20; digit++) {
        const digest = new Uint8Array(32).fill(digit)
        yield* change(digit % 2 === 0 ? store : other, id, { digest })
        assert.strictEqual(yield* digestOf(store, id), digit)
        assert.strictEqual(yield* digestOf(other, id), digit)
      }
    })
  )

  it.effect("has its new digest even if another fiber was reading the old one", () =>
    Effect.gen(function* () {
      const { id, store } = yield* opened
      const rotate = (digit: number) => change(store, id, { digest: new Uint8Array(32).fill(digit) })
      // Gives way to others after some of its operations, so that a rotation falls between its reading and remembering.
      const moments = [3, 4, 5, 6, 7, 8].flatMap((operations) => [1, 2, 3, 4].map((turns) => ({ operations, turns })))
      for (const [index, { operations, turns }] of moments.entries()) {
        yield* rotate(100)
        const reading = Effect.provideService(store.find(apiKeys, id), Scheduler.MaxOpsBeforeYield, operations)
        const reader = yield* Effect.forkChild(reading, { startImmediately: true })
        yield* Effect.forEach(Array.from({ length: turns - 1 }), () => Effect.yieldNow, { discard: true })
        yield* rotate(index)
        assert.strictEqual(yield* digestOf(store, id), index)
        yield* Fiber.join(reader)
        assert.strictEqual(yield* digestOf(store, id), index)
      }
    })
  )

  it.effect("is found as it was in a snapshot, while it is gone outside", () =>
    Effect.gen(function* () {
      const { file, id, store } = yield* opened
      const other = yield* openSqlite(file)
      const inside = yield* store.snapshot(
        Effect.gen(function* () {
          yield* change(other, id, { revoked: true })
          return yield* nameOf(store, id)
        })
      )
      assert.strictEqual(inside, "till")
      assert.isUndefined(yield* nameOf(store, id))
    })
  )
})
