import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"

const listed = Effect.gen(function* () {
  const { orders, verify } = yield* Petstore
  assert.isTrue((yield* verify).ok)
  const { total } = yield* orders.list({ state: "cancelled", count: true })
  return total?.count
})

const cancelOrders = (count: number) =>
  Effect.gen(function* () {
    const { orders } = yield* Petstore
    for (let n = 0; n < count; n++) yield* orders.cancel((yield* orders.place({})).id)
  })

describe("given a store that keeps its events for an hour", () => {
  it.effect("when the events of cancelled orders expire, then these orders are listed no longer, and others are", () =>
    Effect.gen(function* () {
      yield* cancelOrders(300)
      yield* TestClock.adjust("40 minutes")
      yield* cancelOrders(3)
      assert.strictEqual(yield* listed, 303)
      yield* TestClock.adjust("21 minutes")
      assert.strictEqual(yield* listed, 3)
      yield* TestClock.adjust("1 hour")
      // The last event of the log stays.
      assert.strictEqual(yield* listed, 1)
    }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory()), { retention: { events: { for: "1 hour" } } })))
  )
})
