import { describe, expect, it } from "@effect/vitest"
import { MessageRules } from "@petstore/core/domain"
import type { Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Scripted } from "../../../../test/support/scriptedConnection.ts"
import { reserve, runGroup, store, value } from "../../../../test/support/scriptedGroup.ts"

describe("idempotency keys in a group", () => {
  const record = {
    account_id: 1,
    key: "k",
    operation: "orders.place",
    fingerprint: new Uint8Array(32),
    answer: '"stored"',
    created_at: "2026-01-01T00:00:00.000Z"
  }
  const once = Effect.gen(function* () {
    const found = yield* store.idempotency.lock(1, "k")
    if (found !== undefined) return found.result
    const reserved = yield* reserve(1)
    yield* store.idempotency.save({
      accountId: 1,
      key: "k",
      operation: "orders.place",
      fingerprint: new Uint8Array(32),
      result: `${reserved}`,
      createdAt: record.created_at
    })
    return reserved
  })
  const stored: Scripted = { when: /FROM "petstore".petstore_idempotency/, rows: [record] }

  it("cost no round trip, and a second use sees the result of the first", async () => {
    const { connection, verdicts } = await runGroup([once, once])
    expect(verdicts.map(value)).toEqual([1, "1"])
    expect(connection.matching(/try_advisory|FOR NO KEY UPDATE|^INSERT INTO \S+idempotency|^COMMIT/)).toEqual([
      "1: try_advisory",
      "1: FOR NO KEY UPDATE",
      '2: INSERT INTO "petstore".petstore_idempotency',
      "2: COMMIT"
    ])
  })

  it("return what is stored, and nothing of the run that took the key for a new one is kept", async () => {
    const { connection, verdicts } = await runGroup([once, once, reserve(1)], { script: [stored] })
    expect(verdicts.map(value)).toEqual(['"stored"', '"stored"', 1])
    expect(connection.matching(/^INSERT INTO \S+idempotency/)).toEqual([])
  })

  const enqueue = Effect.gen(function* () {
    const found = yield* store.idempotency.lock(1, "k")
    if (found !== undefined) return found.result
    yield* store.messages.insert(MessageRules.queued("m", "hello", record.created_at))
    return "new"
  })
  const taken: Scripted = {
    when: /try_advisory/,
    rows: [{ name: '["petstore","idempotency key",1,"k"]', locked: false }]
  }

  it("return what is stored, although the body had ended before the key was locked", async () => {
    const { connection, verdicts } = await runGroup([enqueue], { script: [stored] })
    expect(verdicts.map(value)).toEqual(['"stored"'])
    expect(connection.matching(/^INSERT/)).toEqual([])
  })

  const save = Effect.suspend(() =>
    store.idempotency.save({
      accountId: 1,
      key: "k",
      operation: "orders.place",
      fingerprint: new Uint8Array(32),
      result: '"new"',
      createdAt: record.created_at
    })
  )
  const unlessStored = <A>(then: Effect.Effect<A, unknown, Transaction>) =>
    Effect.flatMap(store.idempotency.lock(1, "k"), (found) =>
      found === undefined ? Effect.as(Effect.andThen(save, then), '"new"') : Effect.succeed(found.result)
    )

  it.each([
    ["ends", Effect.void],
    ["waits for a pet", reserve(1)]
  ])("are not replaced by a body that took one for a new one, and %s before it is locked", async (_, then) => {
    const { connection, verdicts } = await runGroup([unlessStored(then)], { script: [stored] })
    expect(verdicts.map(value)).toEqual(['"stored"'])
    expect(connection.matching(/^INSERT INTO \S+idempotency/)).toEqual([])
  })

  it("are stored although the body had ended before they were locked, and a second use sees the result", async () => {
    const { connection, verdicts } = await runGroup([unlessStored(Effect.void), unlessStored(Effect.fail("twice"))])
    expect(verdicts.map(value)).toEqual(['"new"', '"new"'])
    expect(connection.matching(/^INSERT INTO \S+idempotency/)).toHaveLength(1)
  })

  it("are waited for by a body that wants one after the group has locked others", async () => {
    let runs = 0
    const late = Effect.andThen(
      Effect.suspend(() => reserve(++runs)),
      unlessStored(Effect.void)
    )
    const { verdicts } = await runGroup([late], { script: [stored] })
    expect([verdicts.map(value), runs]).toEqual([['"stored"'], 1])
  })

  it("that have expired are replaced, and old records removed", async () => {
    const renew = Effect.andThen(
      Effect.andThen(store.idempotency.lock(1, "k"), save),
      store.idempotency.purge(record.created_at, 64)
    )
    const { connection, verdicts } = await runGroup([renew], { script: [stored] })
    expect(verdicts.map(({ type }) => type)).toEqual(["result"])
    expect(connection.matching(/^(?:INSERT INTO|DELETE FROM) \S+idempotency/)).toHaveLength(2)
  })

  it("that another transaction has are waited for outside of the group", async () => {
    const { connection, verdicts } = await runGroup([once, enqueue, reserve(1)], { script: [taken] })
    expect(verdicts.slice(0, 2).map((verdict) => verdict.type)).toEqual(["alone", "alone"])
    expect(value(verdicts[2])).toBe(1)
    expect(connection.matching(/^INSERT/)).toEqual([])
  })

  it("that another transaction has keep nothing of a body that had ended before", async () => {
    const { connection, verdicts } = await runGroup([enqueue], { script: [taken] })
    expect(verdicts).toEqual([{ type: "alone", isIrregular: false }])
    expect(connection.matching(/^INSERT/)).toEqual([])
  })
})
