import { describe, expect, it } from "@effect/vitest"
import { MessageRules, storedKeyOf } from "@petstore/core/domain"
import type { Transaction } from "@petstore/core/kernel"
import type { IdempotencyRecord } from "@petstore/core/tables"
import * as tables from "@petstore/core/tables"
import type { Scripted } from "../../../../test/support/scriptedConnection.ts"
import { both, type Command, refusal, reserve, runGroup, types, value } from "../../../../test/support/scriptedGroup.ts"

const createdAt = "2026-01-01T00:00:00.000Z"

const recordOf = (result: string): IdempotencyRecord => ({
  accountId: 1,
  key: "k",
  operation: "orders.place",
  fingerprint: new Uint8Array(32),
  result,
  createdAt
})

const lockKey = (tx: Transaction) => tx.lock(tables.idempotencyKeys, storedKeyOf({ accountId: 1, key: "k" }))

/** Runs a command, and stores what it returns under the key; returns what is stored if there is something. */
const once = (command: Command): Command =>
  function* (tx) {
    const found = yield* lockKey(tx)
    if (found !== undefined) return found.result
    const result = String(yield* command(tx))
    tx.save(tables.idempotencyKeys, recordOf(result))
    return result
  }

const enqueue: Command = function* (tx) {
  tx.add(tables.messages, MessageRules.queued("m", "hello", createdAt))
  return "queued"
}

const stored: Scripted = {
  when: /FROM "petstore".petstore_idempotency/,
  rows: [
    {
      account_id: 1,
      key: "k",
      operation: "orders.place",
      fingerprint: new Uint8Array(32),
      answer: "stored",
      created_at: createdAt
    }
  ]
}
const taken: Scripted = {
  when: /try_advisory/,
  rows: [{ name: '["petstore","idempotency",1,"k"]', locked: false }]
}

describe("given idempotency keys in a group", () => {
  it("when one is new, then it costs no round trip, and a second use sees the result of the first", async () => {
    const { connection, verdicts } = await runGroup([once(reserve(1)), once(reserve(1))])
    expect(verdicts.map(value)).toEqual(["1", "1"])
    expect(connection.matching(/try_advisory|FOR NO KEY UPDATE|^INSERT INTO \S+idempotency|^COMMIT/)).toEqual([
      "1: try_advisory",
      "1: FOR NO KEY UPDATE",
      '2: INSERT INTO "petstore".petstore_idempotency',
      "2: COMMIT"
    ])
  })

  it("when the first use fails, then the second one is the first", async () => {
    const { connection, verdicts } = await runGroup([once(both(reserve(1), refusal)), once(reserve(1))])
    expect([types(verdicts), value(verdicts[1])]).toEqual([["result", "result"], "1"])
    expect(connection.matching(/^INSERT INTO \S+idempotency/)).toHaveLength(1)
  })

  it.each([
    ["wants a row", reserve(1)],
    ["wants no row", enqueue],
    ["fails", refusal]
  ])(
    "when one is stored and its command %s, then it returns what is stored, and nothing of it is kept",
    async (_, command) => {
      const { connection, verdicts } = await runGroup([once(command), once(command), reserve(1)], { script: [stored] })
      expect(verdicts.map(value)).toEqual(["stored", "stored", 1])
      expect(connection.matching(/^INSERT/)).toEqual([])
    }
  )

  it("when a command wants no row, then it is stored once the key is locked", async () => {
    const { connection, verdicts } = await runGroup([once(enqueue), once(refusal)])
    expect(verdicts.map(value)).toEqual(["queued", "queued"])
    expect(connection.matching(/try_advisory|^INSERT INTO \S+(?:idempotency|messages)/)).toEqual([
      "1: try_advisory",
      '2: INSERT INTO "petstore".petstore_messages',
      '2: INSERT INTO "petstore".petstore_idempotency'
    ])
  })

  it("when a command wants one after other rows, then the next flight locks it", async () => {
    const { connection, verdicts } = await runGroup([both(reserve(1), once(enqueue))], { script: [stored] })
    expect(verdicts.map(value)).toEqual(["stored"])
    expect(connection.matching(/try_advisory|FOR NO KEY UPDATE/)).toEqual(["1: FOR NO KEY UPDATE", "2: try_advisory"])
  })

  it("when one has expired, then it is replaced, and old records are removed", async () => {
    const renew: Command = function* (tx) {
      yield* lockKey(tx)
      tx.save(tables.idempotencyKeys, recordOf("new"))
      tx.purge(tables.idempotencyKeys, createdAt, 64)
    }
    const { connection, verdicts } = await runGroup([renew], { script: [stored] })
    expect(types(verdicts)).toEqual(["result"])
    expect(connection.matching(/^(?:INSERT INTO|DELETE FROM) \S+idempotency/)).toHaveLength(2)
  })

  it("when another transaction has one, then its commands leave, and nothing of them is kept", async () => {
    const commands = [once(reserve(1)), once(enqueue), reserve(1)]
    const { connection, verdicts } = await runGroup(commands, { script: [taken] })
    expect(verdicts.slice(0, 2)).toEqual(Array.from({ length: 2 }, () => ({ type: "alone", isIrregular: false })))
    expect(value(verdicts[2])).toBe(1)
    expect(connection.matching(/^INSERT/)).toEqual([])
  })
})
