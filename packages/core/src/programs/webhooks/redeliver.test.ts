import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { changeRow } from "../../../test/support/writes.ts"
import { adapterOf, delivered, givenSender, pass, settle, url } from "../../../test/webhooks/sending.ts"
import { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import { limits } from "../../domain/limits.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { type DeliveryRecord, deliveries } from "../../tables/index.ts"

/** A petstore that has delivered five events to an endpoint, and removed all of its log but the last two. */
const given = Effect.gen(function* () {
  const { sender, sent } = givenSender(() => Effect.succeed(delivered))
  const options = { webhooks: sender, retention: { events: { count: 2 } } }
  const services = yield* Layer.build(Petstore.layer(adapterOf(), options))
  const [petstore, storage] = [Context.get(services, Petstore), Context.get(services, Storage)]
  const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
  for (let n = 1; n <= 5; n++) yield* petstore.categories.create({ name: `Category ${n}` })
  yield* settle
  // Until the route is saved, and the log is trimmed.
  yield* pass("90 seconds")
  yield* TestClock.adjust("10 seconds")
  assert.strictEqual((yield* petstore.retention).earliest, 5)
  return { id, petstore, sent, storage }
})

const expired = new CursorExpired({ earliest: 5 })

describe("given an endpoint, and a log whose first events are no longer kept", () => {
  it.effect(
    "when a range is delivered again that begins before the log, then it is rejected, and nothing is sent",
    () =>
      Effect.gen(function* () {
        const { id, petstore, sent } = yield* given
        for (const range of [{ after: 0 }, { after: 3 }, { after: 0, through: 2 }]) {
          assert.deepStrictEqual(yield* Effect.flip(petstore.webhooks.redeliver(id, range)), expired)
        }
        yield* settle
        assert.strictEqual(sent.length, 5)
        assert.deepStrictEqual(yield* petstore.webhooks.redeliver(id, { after: 4 }), { scheduled: 2 })
        yield* settle
        assert.strictEqual(sent.length, 7)
      })
  )

  it.effect("when a delivery is made again whose event was removed, then it is rejected, and stays delivered", () =>
    Effect.gen(function* () {
      const { id, petstore } = yield* given
      const before = yield* petstore.webhooks.deliveries(id)
      for (const deliveryId of [1, 3]) {
        assert.deepStrictEqual(yield* Effect.flip(petstore.webhooks.redeliver(id, { deliveryId })), expired)
      }
      yield* settle
      assert.deepStrictEqual(yield* petstore.webhooks.deliveries(id), before)
      assert.deepStrictEqual(yield* petstore.webhooks.redeliver(id, { deliveryId: 4 }), { scheduled: 1 })
    })
  )

  it.effect("when all deliveries that failed are made again, then those whose events were removed stay failed", () =>
    Effect.gen(function* () {
      const { petstore, storage } = yield* given
      for (const id of [1, 5]) {
        yield* changeRow(
          storage,
          deliveries,
          id,
          (row): DeliveryRecord => ({
            ...row,
            delivery: { ...row.delivery, status: "failed" }
          })
        )
      }
      assert.deepStrictEqual(yield* petstore.deliveries.requeueAll({ status: "failed" }), { requeued: 1 })
      assert.strictEqual((yield* petstore.deliveries.get(1)).status, "failed")
    })
  )
})

describe("given an endpoint that was disabled while events happened", () => {
  /** The first two events are the creation of the endpoint and its end. */
  const missing = (body: (petstore: Petstore["Service"]) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const { sender } = givenSender(() => Effect.succeed(delivered))
      const services = yield* Layer.build(Petstore.layer(adapterOf(), { webhooks: sender }))
      const petstore = Context.get(services, Petstore)
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.webhooks.update(1, { enabled: false })
      yield* body(petstore)
      yield* pass("90 seconds")
      return petstore
    })

  it.effect("when they are delivered again, then it gets those of its types", () =>
    Effect.gen(function* () {
      const { webhooks } = yield* missing(({ categories }) =>
        Effect.andThen(categories.create({ name: "Dogs" }), categories.update(1, { name: "Cats" }))
      )
      assert.deepStrictEqual(yield* webhooks.redeliver(1, { after: 0 }), { scheduled: 1 })
    })
  )

  it.effect("when as many are delivered again as one call takes, then there are more only within the range", () =>
    Effect.gen(function* () {
      const numbers = Array.from({ length: limits.redeliveries }, (_, index) => index)
      const { webhooks } = yield* missing(({ categories }) =>
        Effect.forEach(numbers, (n) => categories.create({ name: `Category ${n}` }))
      )
      const [after, scheduled] = [2, limits.redeliveries]
      const through = after + scheduled
      assert.deepStrictEqual(yield* webhooks.redeliver(1, { after, through }), { scheduled })
      const more = yield* webhooks.redeliver(1, { after, through: through + 1 })
      assert.deepStrictEqual(more, { scheduled, next: through })
    })
  )
})
