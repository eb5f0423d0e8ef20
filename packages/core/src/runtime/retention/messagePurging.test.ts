import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { MessageQueue } from "../messages/MessageQueue.ts"

const deliver = (count: number) =>
  Effect.gen(function* () {
    const { messages } = yield* Petstore
    const queue = yield* MessageQueue
    for (let n = 0; n < count; n++) yield* messages.enqueue(`Message ${n}`)
    const { items } = yield* queue.recordAndClaim([], count, 30_000)
    for (const { fence, id } of items)
      yield* queue.recordAndClaim([{ item: { id, fence }, outcome: "delivered" }], 0, 0)
  })

const counts = Effect.gen(function* () {
  const { messages, verify } = yield* Petstore
  assert.isTrue((yield* verify).ok)
  const of = (status: "delivered" | "queued") =>
    Effect.map(messages.list({ status, limit: 100 }), ({ items }) => items.length)
  return { queued: yield* of("queued"), delivered: yield* of("delivered") }
})

describe("given a store that keeps delivered messages for an hour", () => {
  it.effect("when the hour is over, then they are deleted in batches, and nothing else is", () =>
    Effect.gen(function* () {
      const { events, messages } = yield* Petstore
      yield* deliver(230)
      yield* TestClock.adjust("30 minutes")
      yield* deliver(5)
      yield* messages.enqueue("Still queued")
      assert.deepStrictEqual(yield* counts, { queued: 1, delivered: 100 })
      yield* TestClock.adjust("31 minutes")
      assert.deepStrictEqual(yield* counts, { queued: 1, delivered: 5 })
      const { items } = yield* events.list({ limit: 100, types: ["message.deleted"] })
      assert.strictEqual(items.length, 100)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* counts, { queued: 1, delivered: 0 })
    }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory()), { retention: { messages: { for: "1 hour" } } })))
  )

  it.effect("when their events expire too, then every rule holds", () =>
    Effect.gen(function* () {
      const { events } = yield* Petstore
      yield* deliver(20)
      yield* TestClock.adjust("2 hours")
      yield* deliver(3)
      yield* TestClock.adjust("2 hours")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* counts, { queued: 0, delivered: 0 })
      assert.isBelow((yield* events.list({ limit: 100 })).items.length, 10)
    }).pipe(
      Effect.provide(
        Petstore.layer(withLockChecks(memory()), {
          retention: { messages: { for: "1 hour" }, events: { for: "1 hour" } }
        })
      )
    )
  )
})
