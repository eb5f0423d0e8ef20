import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { changeRow, saved, writing } from "../../../test/support/writes.ts"
import {
  adapterOf,
  delivered,
  failed,
  givenSender,
  open,
  pass,
  settle,
  url,
  verified
} from "../../../test/webhooks/sending.ts"
import { deliverySchedule } from "../../domain/webhooks/Delivery.ts"
import type { WebhookOutcome } from "../../ports/WebhookSender.ts"
import { deliveries, webhooks } from "../../tables/index.ts"

const gone: WebhookOutcome = { delivered: false, reason: "gone", status: 410, message: "The endpoint responded 410." }
const types = ["message.queued"] as const

type Petstore = Effect.Success<ReturnType<typeof open>>

const statusOf = (petstore: Petstore, id: string) => Effect.map(petstore.messages.get(id), ({ status }) => status)

const eventsOf = (petstore: Petstore, id: string) =>
  Effect.map(petstore.storage.events.scan(0, 1_000), (events) =>
    events.filter(({ subject }) => subject === `messages/${id}`).map(({ type }) => type)
  )

/** Makes the next attempt of a delivery, which is pending, the last one. */
const leaveOneAttempt = ({ storage }: Petstore, webhookId: number, id: number) =>
  storage.run(function* (tx) {
    yield* tx.lock(webhooks, webhookId)
    const record = (yield* tx.find(deliveries, id)) ?? assert.fail()
    const { delivery, lease } = record
    const attempts = deliverySchedule.delays.length
    const changed = { delivery: { ...delivery, attempts }, lease: { ...lease, fence: lease.fence + attempts } }
    yield* writing(tx, [saved(deliveries, changed, record)])
  }, "deliveries.extend")

describe("webhooks of message.queued", () => {
  it.effect("given a success, then the message is delivered in the transaction of the delivery", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender((_, count) => Effect.succeed(count === 1 ? failed : delivered))
      const petstore = yield* open(sender)
      const { id: webhookId } = yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      assert.deepStrictEqual([sent.length, yield* statusOf(petstore, id)], [1, "queued"])
      yield* pass("6 seconds")
      const { deliveredAt, ...message } = yield* petstore.messages.get(id)
      assert.deepStrictEqual([sent.length, message.status, message.attempts], [2, "delivered", undefined])
      const [delivery] = (yield* petstore.webhooks.deliveries(webhookId)).items
      assert.deepStrictEqual([delivery?.status, delivery?.finishedAt], ["delivered", deliveredAt])
      assert.deepStrictEqual(yield* eventsOf(petstore, id), ["message.queued", "message.delivered"])
      yield* verified(petstore)
    })
  )

  it.effect("given an endpoint of all types, then it observes messages and does not deliver them", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* pass("1 minute")
      assert.deepStrictEqual([sent.length, yield* statusOf(petstore, id)], [1, "queued"])
      yield* verified(petstore)
    })
  )

  it.effect("given two endpoints, then the first success delivers, and the other gets the event all the same", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(({ webhookId }) =>
        webhookId === 1 ? Effect.as(Effect.sleep("1 second"), failed) : Effect.as(Effect.sleep("10 seconds"), delivered)
      )
      const petstore = yield* open(sender)
      for (let n = 0; n < 2; n++) yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* pass("5 seconds")
      assert.strictEqual(yield* statusOf(petstore, id), "queued")
      yield* pass("10 seconds")
      assert.strictEqual(yield* statusOf(petstore, id), "delivered")
      yield* pass("6 minutes")
      assert.strictEqual(sent.filter(({ webhookId }) => webhookId === 1).length, 3)
      assert.deepStrictEqual(yield* eventsOf(petstore, id), ["message.queued", "message.delivered"])
      yield* verified(petstore)
    })
  )

  it.effect("given endpoints that all fail, then the message fails with the last one until it is queued again", () =>
    Effect.gen(function* () {
      let isUp = false
      const { sender } = givenSender(({ webhookId }) =>
        Effect.succeed(isUp ? delivered : webhookId === 1 ? gone : failed)
      )
      const petstore = yield* open(sender)
      for (let n = 0; n < 2; n++) yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      assert.isFalse((yield* petstore.webhooks.get(1)).enabled)
      assert.strictEqual(yield* statusOf(petstore, id), "queued", "the other endpoint tries it still")
      const [delivery] = (yield* petstore.webhooks.deliveries(2)).items
      yield* leaveOneAttempt(petstore, 2, delivery?.id ?? assert.fail())
      yield* pass("6 seconds")
      const { lastError, status } = yield* petstore.messages.get(id)
      assert.deepStrictEqual([status, lastError], ["failed", "Webhook 2: The endpoint responded 500."])
      isUp = true
      yield* petstore.messages.requeue(id)
      yield* settle
      assert.strictEqual(yield* statusOf(petstore, id), "delivered")
      assert.deepStrictEqual(yield* eventsOf(petstore, id), [
        ...["message.queued", "message.failed", "message.queued", "message.delivered"]
      ])
      yield* verified(petstore)
    })
  )

  for (const [enabled, status] of [
    [true, "queued"],
    [false, "failed"]
  ] as const)
    it.effect(
      `given an endpoint, enabled: ${enabled}, behind the message, then it is ${status} once another one fails`,
      () =>
        Effect.gen(function* () {
          const { sender } = givenSender(({ webhookId }) => Effect.succeed(webhookId === 1 ? failed : gone))
          const petstore = yield* open(sender)
          for (let n = 0; n < 2; n++) yield* petstore.webhooks.create({ url, types })
          const { id } = yield* petstore.messages.enqueue("Hello")
          yield* settle
          yield* changeRow(petstore.storage, webhooks, 2, ({ webhook, ...record }) => ({
            ...record,
            webhook: { ...webhook, enabled },
            route: { ...record.route, after: 2 }
          }))
          const ofFirst = Effect.map(petstore.webhooks.deliveries(1), ({ items }) => items[0] ?? assert.fail())
          yield* leaveOneAttempt(petstore, 1, (yield* ofFirst).id)
          yield* pass("6 seconds")
          assert.deepStrictEqual([(yield* ofFirst).status, yield* statusOf(petstore, id)], ["failed", status])
        })
    )

  it.effect("given a message that has failed, when its delivery is made again and succeeds, then it is delivered", () =>
    Effect.gen(function* () {
      let isUp = false
      const { sender } = givenSender(() => Effect.succeed(isUp ? delivered : gone))
      const petstore = yield* open(sender)
      const { id: webhookId } = yield* petstore.webhooks.create({ url, types, ordered: true })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      assert.strictEqual(yield* statusOf(petstore, id), "failed")
      isUp = true
      yield* petstore.webhooks.update(webhookId, { enabled: true })
      for (let n = 0; n < 2; n++) {
        yield* petstore.webhooks.redeliver(webhookId, { after: 0 })
        yield* settle
        const expected = ["message.queued", "message.failed", "message.delivered"]
        assert.deepStrictEqual(yield* eventsOf(petstore, id), expected, "delivered once")
      }
      yield* verified(petstore)
    })
  )

  it.effect("given a message that was queued again, when its older delivery fails, then the newer one decides", () =>
    Effect.gen(function* () {
      const { sender } = givenSender(() => Effect.succeed(failed))
      const petstore = yield* open(sender)
      const { id: webhookId } = yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      yield* leaveOneAttempt(petstore, webhookId, 1)
      yield* pass("6 seconds")
      assert.strictEqual(yield* statusOf(petstore, id), "failed")
      yield* petstore.messages.requeue(id)
      yield* petstore.webhooks.redeliver(webhookId, { deliveryId: 1 })
      yield* settle
      yield* leaveOneAttempt(petstore, webhookId, 1)
      yield* pass("6 seconds")
      const statuses = (yield* petstore.webhooks.deliveries(webhookId)).items.map(({ status }) => status)
      assert.deepStrictEqual([statuses, yield* statusOf(petstore, id)], [["failed", "pending"], "queued"])
      yield* leaveOneAttempt(petstore, webhookId, 2)
      yield* pass("6 minutes")
      assert.deepStrictEqual(yield* eventsOf(petstore, id), [
        ...["message.queued", "message.failed", "message.queued", "message.failed"]
      ])
      yield* verified(petstore)
    })
  )

  it.effect("given a handler beside, then whichever succeeds first delivers, and the handler loses its message", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const handler = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const { sender, sent } = givenSender(() => Effect.as(Effect.sleep("1 second"), delivered))
      const petstore = yield* open(sender, adapterOf(), handler)
      yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      assert.strictEqual((yield* petstore.messages.get(id)).attempts, 1, "the handler has it")
      yield* pass("2 seconds")
      assert.deepStrictEqual([sent.length, yield* statusOf(petstore, id)], [1, "delivered"])
      yield* pass("10 seconds")
      assert.strictEqual(interrupted, 1)
      yield* verified(petstore)
    })
  )

  it.effect("given a handler that has begun, then webhooks that give up leave the message to it", () =>
    Effect.gen(function* () {
      let isUp = false
      const { sender } = givenSender(() => Effect.succeed(gone))
      const petstore = yield* open(sender, adapterOf(), () => (isUp ? Effect.void : Effect.fail(new Error("Down"))))
      yield* petstore.webhooks.create({ url, types })
      const { id } = yield* petstore.messages.enqueue("Hello")
      yield* settle
      assert.isFalse((yield* petstore.webhooks.get(1)).enabled)
      assert.strictEqual(yield* statusOf(petstore, id), "queued")
      isUp = true
      yield* pass("10 seconds")
      assert.strictEqual(yield* statusOf(petstore, id), "delivered")
      yield* verified(petstore)
    })
  )
})
