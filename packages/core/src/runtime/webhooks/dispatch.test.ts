import { assert, describe, it, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { givenLogger } from "../../../test/support/givenLogger.ts"
import { changeRow, saved, writing } from "../../../test/support/writes.ts"
import {
  adapterOf,
  delivered,
  failed,
  givenSender,
  noting,
  open,
  pass,
  refusing,
  running,
  settle,
  shiftingClock,
  typesOf,
  url,
  verified
} from "../../../test/webhooks/sending.ts"
import { StorageUnavailable } from "../../domain/errors/ServiceErrors.ts"
import { deliverySchedule } from "../../domain/webhooks/Delivery.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { WebhookOutcome } from "../../ports/WebhookSender.ts"
import { deliveries, webhooks } from "../../tables/index.ts"
import { deliveryLeaseMillis } from "./deliveryCommands.ts"

/** Claims the first delivery like a worker of another process, although it is leased. */
const claimedByOther = ({ run }: Storage["Service"]) =>
  run(function* (tx) {
    yield* tx.lock(webhooks, 1)
    const record = (yield* tx.find(deliveries, 1)) ?? assert.fail()
    const claimed = { ...record, lease: { ...record.lease, fence: record.lease.fence + 1 } }
    yield* writing(tx, [saved(deliveries, claimed, record)])
    return claimed
  }, "deliveries.extend")

describe("webhooks", () => {
  it.effect("given a test request in a transaction, then it is rejected before anything is sent", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const { transaction, webhooks } = yield* open(sender)
      const { id } = yield* webhooks.create({ url: "https://example.com/" })
      const exit = yield* Effect.exit(transaction((tx) => tx.webhooks.test(id)))
      assert.match(String(exit), /TypeError.*Call it before or after the transaction/s)
      assert.deepStrictEqual(sent, [])
      assert.isTrue((yield* webhooks.test(id)).delivered)
    })
  )

  it.effect("given an endpoint, then it gets each later event of its types once, signed, and nothing of before", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const petstore = yield* open(sender)
      yield* petstore.categories.create({ name: "Before" })
      const { id, secret } = yield* petstore.webhooks.create({ url, types: ["category.created", "webhook.updated"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* petstore.categories.update(2, { description: "They bark" })
      yield* petstore.webhooks.update(id, { concurrency: 3 })
      yield* petstore.categories.create({ name: "Cats" })
      yield* settle
      assert.deepStrictEqual(typesOf(sent), ["category.created", "category.created"])
      const [first] = sent
      const [event] = (yield* petstore.storage.events.scan(2, 1)).map(({ id: eventId, data }) => ({ eventId, data }))
      assert.deepStrictEqual([first?.id, JSON.parse(first?.body ?? "{}").data], [event?.eventId, event?.data])
      assert.include(String(first?.secrets.length), "1")
      assert.match(secret, /^whsec_/)
      const page = yield* petstore.webhooks.deliveries(id)
      assert.deepStrictEqual(
        page.items.map(({ attempts, responseStatus, status }) => [status, attempts, responseStatus]),
        [
          ["delivered", 1, 204],
          ["delivered", 1, 204]
        ]
      )
      yield* verified(petstore)
    })
  )

  it.effect(
    "given an endpoint that always fails, then ten attempts follow the schedule, and then the delivery has failed",
    () =>
      Effect.gen(function* () {
        const { sender, sent } = givenSender(() => Effect.succeed(failed))
        const { elapse, shifted } = yield* shiftingClock
        const petstore = yield* shifted(open(sender))
        const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        for (const [index, delay] of deliverySchedule.delays.entries()) {
          assert.strictEqual(sent.length, index + 1)
          yield* elapse(delay * 0.85)
          assert.strictEqual(sent.length, index + 1, `too early after attempt ${index + 1}`)
          for (let step = 0; step < 7 && sent.length === index + 1; step++) yield* elapse(delay * 0.04)
        }
        assert.strictEqual(sent.length, 10)
        // Longer than the longest delay.
        yield* elapse("30 hours")
        assert.strictEqual(sent.length, 10)
        const { items } = yield* petstore.webhooks.deliveries(id, { status: "failed" })
        assert.deepStrictEqual(
          items.map(({ attempts, failure, responseStatus }) => [attempts, failure, responseStatus]),
          [[10, "status", 500]]
        )
        yield* verified(petstore)
        const again = petstore.webhooks.redeliver(id, { deliveryId: items[0]?.id ?? 0 })
        assert.deepStrictEqual(yield* shifted(again), { scheduled: 1 })
        yield* settle
        assert.strictEqual(sent.length, 11, "it is sent at once")
        const { latestAttempts } = yield* petstore.deliveries.get(items[0]?.id ?? 0)
        assert.lengthOf(latestAttempts, 10, "the first of 11 attempts is no longer shown")
        assert.deepStrictEqual(
          latestAttempts.map(({ at }) => Math.floor(Date.parse(at) / 1000)),
          sent.slice(1).map(({ at }) => at)
        )
        const { attempts, endpoints } = (yield* petstore.stats).webhooks
        assert.deepInclude(attempts, { status: 11, delivered: 0, timeout: 0 })
        assert.deepInclude(endpoints[0], { id, pending: 1, failed: 0 })
        yield* verified(petstore)
      })
  )

  it.effect(
    "given attempts with several outcomes, then each is shown with its time, its outcome and how long it took",
    () =>
      Effect.gen(function* () {
        const timeout = { delivered: false, reason: "timeout", message: "No response." } as const
        const { sender } = givenSender((_, count) =>
          Effect.delay(Effect.succeed([timeout, failed][count - 1] ?? delivered), `${10 * count} millis`)
        )
        const petstore = yield* open(sender)
        yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        const first = yield* petstore.deliveries.get(1)
        yield* pass("6 seconds")
        yield* pass("6 minutes")
        const { latestAttempts, ...delivery } = yield* petstore.deliveries.get(1)
        assert.deepInclude(delivery, { status: "delivered", attempts: 3 })
        assert.deepStrictEqual(latestAttempts.slice(0, 1), first.latestAttempts)
        const { message, reason: failure, status: responseStatus } = failed
        assert.deepStrictEqual(
          latestAttempts.map(({ at: _, ...attempt }) => attempt),
          [
            { durationMs: 10, delivered: false, failure: "timeout", message: "No response." },
            { durationMs: 20, delivered: false, responseStatus, failure, message },
            { durationMs: 30, delivered: true, responseStatus: 204 }
          ]
        )
        const times = latestAttempts.map(({ at }) => at)
        assert.deepStrictEqual(times, [...new Set(times)].sort())
        assert.strictEqual(times.at(-1), delivery.lastAttemptAt)
        yield* verified(petstore)
        yield* petstore.webhooks.redeliver(1, { deliveryId: 1 })
        assert.deepStrictEqual((yield* petstore.deliveries.get(1)).latestAttempts, latestAttempts)
      })
  )

  it.effect("given events that an endpoint does not get, then its route is saved behind them within a minute", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const petstore = yield* open(sender)
      const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
      const { id: categoryId } = yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      yield* petstore.categories.update(categoryId, { description: "They bark" })
      const after = Effect.map(petstore.storage.find(webhooks, id), (record) => record?.route.after)
      yield* settle
      assert.strictEqual(yield* after, 2)
      yield* pass("1 minute")
      assert.strictEqual(yield* after, 3)
      yield* petstore.categories.create({ name: "Cats" })
      yield* settle
      assert.strictEqual(sent.length, 2)
      yield* verified(petstore)
    })
  )

  it.effect("given a Retry-After, then the next attempt is no sooner", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender((_, count) =>
        Effect.succeed(count === 1 ? { ...failed, retryAfter: 3_600 } : delivered)
      )
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      yield* pass("59 minutes")
      assert.strictEqual(sent.length, 1)
      const failingSince = Effect.map(petstore.storage.find(webhooks, 1), (record) => record?.failingSince)
      assert.isDefined(yield* failingSince)
      yield* pass("2 minutes")
      assert.strictEqual(sent.length, 2)
      assert.isUndefined(yield* failingSince)
    })
  )

  it.effect("given an endpoint that fails, then a change keeps since when, and enabling it again does not", () =>
    Effect.gen(function* () {
      const { sender } = givenSender(() => Effect.succeed(failed))
      const petstore = yield* open(sender)
      const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      const failingSince = Effect.map(petstore.storage.find(webhooks, id), (record) => record?.failingSince)
      const since = yield* failingSince
      assert.isDefined(since)
      yield* petstore.webhooks.update(id, { types: ["pet.created"] })
      assert.strictEqual(yield* failingSince, since)
      for (const enabled of [false, true]) {
        yield* petstore.webhooks.update(id, { enabled })
        assert.isUndefined(yield* failingSince)
      }
    })
  )

  it.effect("given a test request that fails, then it returns why, with the status of a response", () =>
    Effect.gen(function* () {
      const { status: _, ...unreached } = { ...failed, reason: "connection", message: "No connection." } as const
      const { sender } = givenSender((_, count) => Effect.succeed(count === 1 ? failed : unreached))
      const { webhooks } = yield* open(sender)
      const { id } = yield* webhooks.create({ url })
      assert.deepStrictEqual(yield* webhooks.test(id), {
        delivered: false,
        failure: "status",
        responseStatus: 500,
        message: failed.message
      })
      assert.deepStrictEqual(yield* webhooks.test(id), {
        delivered: false,
        failure: "connection",
        message: unreached.message
      })
    })
  )

  it.effect("given a response 410, then the endpoint is disabled, and its deliveries wait until it is enabled", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender((_, count) =>
        Effect.succeed(count === 1 ? { delivered: false, reason: "gone", status: 410, message: "Gone." } : delivered)
      )
      const { logged, logging } = givenLogger()
      const petstore = yield* logging(open(sender))
      const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency: 1 })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      const { disabledReason, enabled } = yield* petstore.webhooks.get(id)
      assert.deepStrictEqual([enabled, disabledReason], [false, "gone"])
      yield* petstore.categories.create({ name: "Missed" })
      yield* pass("1 hour")
      assert.strictEqual(sent.length, 1)
      assert.deepStrictEqual(logged, [
        "Webhook 1 was disabled because it responded 410. Enable it to send what waits for it."
      ])
      const events = yield* petstore.storage.events.scan(0, 10)
      assert.deepStrictEqual(events.map(({ type }) => type).slice(2, 3), ["webhook.disabled"])
      yield* petstore.webhooks.redeliver(id, { deliveryId: 1 })
      yield* settle
      assert.strictEqual(sent.length, 1)
      yield* petstore.webhooks.update(id, { enabled: true })
      yield* settle
      assert.strictEqual(sent.length, 2, "enabling sends at once what waited")
      yield* petstore.categories.create({ name: "Cats" })
      yield* settle
      assert.strictEqual(sent.length, 3)
      yield* verified(petstore)
      assert.deepStrictEqual(yield* petstore.webhooks.redeliver(id, { after: 0 }), { scheduled: 3 })
      yield* settle
      assert.strictEqual(sent.length, 6)
      yield* verified(petstore)
    })
  )

  it.effect(
    "given an endpoint whose secret cannot be read, then nothing looks for its deliveries again and again",
    () =>
      Effect.gen(function* () {
        let claims = 0
        const { sender, sent } = givenSender(() => Effect.succeed(delivered))
        const adapter = noting((command) => {
          if (command === "deliveries.claim") claims++
        })
        const { logging } = givenLogger()
        const petstore = yield* logging(open(sender, adapter))
        yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* settle
        const unreadable = "sealed.unreadable"
        yield* changeRow(petstore.storage, webhooks, 1, (record) => ({ ...record, secret: unreadable }))
        yield* petstore.categories.create({ name: "Dogs" })
        yield* pass("1 minute")
        assert.deepStrictEqual(sent, [])
        assert.isAtLeast(claims, 1)
        assert.isAtMost(claims, 5)
      })
  )

  it.effect("given a disabled endpoint with deliveries, then nothing looks for them again and again", () =>
    Effect.gen(function* () {
      let claims = 0
      const counted = (id: number): WebhookOutcome =>
        id === 1 ? { delivered: false, reason: "gone", status: 410, message: "Gone." } : delivered
      const { sender, sent } = givenSender((_, count) => Effect.succeed(counted(count)))
      const adapter = noting((command) => {
        if (command === "deliveries.claim") claims++
      })
      const petstore = yield* open(sender, adapter)
      yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency: 1 })
      for (const name of ["Dogs", "Cats"]) yield* petstore.categories.create({ name })
      yield* pass("1 second")
      assert.isFalse((yield* petstore.webhooks.get(1)).enabled)
      claims = 0
      yield* pass("1 minute")
      assert.isAtMost(claims, 5)
      yield* petstore.webhooks.update(1, { enabled: true })
      yield* settle
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect(
    "given an endpoint whose attempts have failed for five days, when one more fails, then it is disabled",
    () =>
      Effect.gen(function* () {
        const { sender } = givenSender(() => Effect.succeed(failed))
        yield* TestClock.adjust("10 days")
        const { logged, logging } = givenLogger()
        const petstore = yield* logging(open(sender))
        const { storage } = petstore
        const failSince = (failingSince: string) =>
          changeRow(storage, webhooks, 1, (record) => ({ ...record, failingSince }))
        yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* settle
        yield* failSince("1970-01-06T00:00:10.000Z")
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        assert.isTrue((yield* petstore.webhooks.get(1)).enabled)
        yield* failSince("1970-01-06T00:00:00.000Z")
        yield* petstore.categories.create({ name: "Cats" })
        yield* settle
        const { disabledReason, enabled } = yield* petstore.webhooks.get(1)
        assert.deepStrictEqual([enabled, disabledReason], [false, "failing"])
        assert.deepStrictEqual(logged, [
          "Webhook 1 was disabled because all attempts failed for 5 days. Enable it to send what waits for it."
        ])
        const last = yield* petstore.storage.events.latest
        const [event] = yield* petstore.storage.events.scan(last - 1, 1)
        assert.strictEqual(event?.type, "webhook.disabled")
      })
  )

  it.effect(
    "given a clock that was set back since an endpoint was created, when its first attempt fails, then it has not failed before",
    () =>
      Effect.gen(function* () {
        const { sender } = givenSender(() => Effect.succeed(failed))
        yield* TestClock.setTime(40_000)
        const petstore = yield* open(sender)
        yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* TestClock.setTime(10_000)
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        const record = yield* petstore.storage.find(webhooks, 1)
        assert.strictEqual(record?.failingSince, record?.webhook.createdAt)
      })
  )

  it.effect("given an ordered endpoint, then an event waits for the one before of its subject, and for no other", () =>
    Effect.gen(function* () {
      const fails = new Set(["categories/1", "categories/3"])
      const { sender, sent } = givenSender(({ body }) =>
        Effect.sync(() => (fails.delete(JSON.parse(body).subject) ? failed : delivered))
      )
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, ordered: true, types: ["category.created", "category.updated"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      yield* petstore.categories.update(1, { description: "They bark" })
      yield* petstore.categories.update(1, { description: "They run" })
      yield* petstore.categories.create({ name: "Cats" })
      yield* settle
      const seen = () => sent.map(({ body }) => [JSON.parse(body).subject, JSON.parse(body).data.description])
      assert.deepStrictEqual(seen(), [
        ["categories/1", undefined],
        ["categories/2", undefined]
      ])
      yield* pass(12_000)
      assert.deepStrictEqual(seen().slice(2), [
        ["categories/1", undefined],
        ["categories/1", "They bark"],
        ["categories/1", "They run"]
      ])
      yield* verified(petstore)
      // Both are routed in one turn.
      yield* petstore.categories.create({ name: "Birds" })
      yield* petstore.categories.update(3, { description: "They sing" })
      yield* pass(12_000)
      assert.deepStrictEqual(seen().slice(5), [
        ["categories/3", undefined],
        ["categories/3", undefined],
        ["categories/3", "They sing"]
      ])
    })
  )

  it.effect("given an endpoint that hangs, then it holds up no other, and gets no more than its concurrency", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(({ webhookId }) =>
        webhookId === 1 ? Effect.never : Effect.succeed(delivered)
      )
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency: 2 })
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      for (let n = 0; n < 20; n++) yield* petstore.categories.create({ name: `Category ${n}` })
      yield* pass(1_000)
      assert.strictEqual(sent.filter(({ webhookId }) => webhookId === 1).length, 2)
      assert.strictEqual(sent.filter(({ webhookId }) => webhookId === 2).length, 20)
      yield* verified(petstore)
    })
  )

  it.effect("given two petstores on one database, then no attempt is made twice at a time, and all is delivered", () =>
    Effect.gen(function* () {
      const { sender, state } = givenSender(() => Effect.as(Effect.sleep(100), delivered))
      const adapter = adapterOf()
      const [one, other] = [yield* open(sender, adapter), yield* open(sender, adapter)]
      const { id } = yield* one.webhooks.create({ url, types: ["category.created"] })
      for (let n = 0; n < 50; n++) yield* (n % 2 === 0 ? one : other).categories.create({ name: `Category ${n}` })
      yield* pass("1 minute")
      assert.deepStrictEqual([state.sent.length, state.doubles], [50, 0])
      assert.strictEqual((yield* other.webhooks.deliveries(id, { status: "delivered", limit: 100 })).items.length, 50)
      yield* verified(one)
    })
  )

  it.effect("given two petstores on one database, then an endpoint gets no more than its concurrency from both", () =>
    Effect.gen(function* () {
      const senders = [givenSender(() => Effect.never), givenSender(() => Effect.never)] as const
      const adapter = adapterOf()
      const [one, other] = [yield* open(senders[0].sender, adapter), yield* open(senders[1].sender, adapter)]
      yield* one.webhooks.create({ url, types: ["category.created"], concurrency: 3 })
      yield* pass("2 seconds")
      for (let n = 0; n < 20; n++) yield* (n % 2 === 0 ? one : other).categories.create({ name: `Category ${n}` })
      yield* pass("1 minute")
      assert.strictEqual(senders[0].sent.length + senders[1].sent.length, 3)
    })
  )

  it.effect(
    "given an attempt, when the concurrency of its endpoint changes, then it goes on, with as many beside it",
    () =>
      Effect.gen(function* () {
        let interrupted = 0
        const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
        const { sender, sent } = givenSender(() => hanging)
        const petstore = yield* open(sender)
        yield* petstore.webhooks.create({ url, types: ["category.created"], concurrency: 1 })
        for (let n = 0; n < 5; n++) yield* petstore.categories.create({ name: `Category ${n}` })
        yield* settle
        assert.strictEqual(sent.length, 1)
        yield* petstore.webhooks.update(1, { concurrency: 3 })
        yield* settle
        assert.deepStrictEqual([sent.length, interrupted], [3, 0])
      })
  )

  it.effect("given an attempt, when another process has moved the route behind events, then the attempt goes on", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const { sender, sent } = givenSender(() => hanging)
      const petstore = yield* open(sender)
      const { storage } = petstore
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      for (let n = 1; n <= 4; n++) yield* petstore.categories.update(1, { description: `Text ${n}` })
      yield* settle
      yield* changeRow(storage, webhooks, 1, (record) => ({
        ...record,
        route: { ...record.route, after: record.route.after + 2 }
      }))
      yield* pass("80 seconds")
      yield* petstore.categories.create({ name: "Cats" })
      yield* settle
      assert.deepStrictEqual([sent.length, interrupted], [2, 0])
      yield* verified(petstore)
    })
  )

  it.effect("given an endpoint that another petstore or a transaction has created, then its events are sent soon", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const adapter = adapterOf()
      const petstore = yield* open(sender, adapter)
      const other = Context.get(yield* Layer.build(Petstore.layer(adapter)), Petstore)
      yield* petstore.categories.create({ name: "Before" })
      yield* settle
      yield* other.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.transaction((tx) =>
        Effect.andThen(tx.webhooks.create({ url, types: ["category.created"] }), tx.categories.create({ name: "Dogs" }))
      )
      yield* pass("1 second")
      assert.deepStrictEqual(sent.map(({ webhookId }) => webhookId).sort(), [1, 2])
      yield* verified(petstore)
    })
  )

  it.effect("given an endpoint that only another petstore has created, then its first events are sent soon", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const adapter = adapterOf()
      const petstore = yield* open(sender, adapter)
      const other = Context.get(yield* Layer.build(Petstore.layer(adapter)), Petstore)
      yield* settle
      yield* other.webhooks.create({ url, types: ["category.created"] })
      yield* other.categories.create({ name: "Dogs" })
      yield* petstore.categories.create({ name: "Cats" })
      yield* pass("2 seconds")
      assert.deepStrictEqual(typesOf(sent), ["category.created", "category.created"])
      yield* verified(petstore)
    })
  )

  it.effect("given no endpoint, then commits make the petstore read no events", () =>
    Effect.gen(function* () {
      const { sender } = givenSender(() => Effect.succeed(delivered))
      const petstore = yield* open(sender)
      const scan = vi.spyOn(petstore.storage.events, "scan")
      for (let n = 0; n < 5; n++) {
        yield* petstore.categories.create({ name: `Category ${n}` })
        yield* pass("2 seconds")
      }
      assert.strictEqual(scan.mock.calls.length, 0)
    })
  )

  it.effect(
    "given two endpoints while the store fails, then the log reports it once for both, and again the next time",
    () =>
      Effect.gen(function* () {
        const { sender, sent } = givenSender(() => Effect.succeed(delivered))
        const { logged, logging } = givenLogger()
        const petstore = yield* logging(open(sender))
        for (let n = 0; n < 2; n++) yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* settle
        for (const name of ["Dogs", "Cats"]) {
          const scan = vi.spyOn(petstore.storage.events, "scan")
          scan.mockReturnValue(Effect.fail(new StorageUnavailable({})))
          logged.length = 0
          yield* petstore.categories.create({ name })
          for (let n = 0; n < 20; n++) yield* pass("1 second")
          assert.lengthOf(logged, 1)
          assert.match(logged[0] ?? "", /^Cannot deliver to webhook \d; this is tried again$/)
          scan.mockRestore()
          yield* pass("30 seconds")
        }
        assert.strictEqual(sent.length, 4)
      })
  )

  it.effect("given two endpoints whose outcomes the store cannot record, then the log reports it once for both", () =>
    Effect.gen(function* () {
      const { logged, logging } = givenLogger()
      const { sender, sent } = givenSender(() =>
        Effect.sync(() => {
          vi.spyOn(petstore.storage, "run").mockReturnValue(Effect.fail(new StorageUnavailable({})))
          return delivered
        })
      )
      const petstore: Effect.Success<ReturnType<typeof open>> = yield* logging(open(sender))
      for (let n = 0; n < 2; n++) yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* settle
      yield* petstore.categories.create({ name: "Dogs" })
      for (let n = 0; n < 20; n++) yield* pass("1 second")
      vi.mocked(petstore.storage.run).mockRestore()
      yield* pass("30 seconds")
      assert.strictEqual(sent.length, 2)
      assert.lengthOf(logged, 1)
      assert.match(logged[0] ?? "", /^Cannot \w+ deliveries to webhook \d; this is tried again$/)
      yield* verified(petstore)
    })
  )

  it.effect("given a redelivery that a petstore without a sender schedules, then another one sends it soon", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const adapter = adapterOf()
      const petstore = yield* open(sender, adapter)
      const other = Context.get(yield* Layer.build(Petstore.layer(adapter)), Petstore)
      const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* pass("1 minute")
      yield* other.webhooks.redeliver(id, { deliveryId: 1 })
      yield* pass("1 second")
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("given leases that a clock wrote that was a day ahead, then they take no place of others", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const { sender: hanging } = givenSender(() => Effect.never)
      const adapter = adapterOf()
      const { shifted, shift } = yield* shiftingClock
      const ahead = yield* Scope.make()
      shift("1 day")
      const dead = yield* shifted(Scope.provide(open(hanging, adapter), ahead))
      yield* dead.webhooks.create({ url, types: ["category.created"], concurrency: 2 })
      for (const name of ["Dogs", "Cats"]) yield* shifted(dead.categories.create({ name }))
      yield* settle
      const held = yield* dead.storage.scan(deliveries, [], 10)
      assert.isTrue(held.every(({ lease }) => (lease.until ?? "") > "1970-01-02"))
      // It is killed: it gives back nothing, and writes no more.
      const petstore = yield* open(sender, adapter)
      shift(0)
      yield* petstore.categories.create({ name: "Birds" })
      yield* pass("1 second")
      assert.strictEqual(sent.length, 1)
      yield* Scope.close(ahead, Exit.void)
    })
  )

  it.effect(
    "given a wall clock that jumps by a day, forwards and back, then each event is delivered once or scheduled",
    () =>
      Effect.gen(function* () {
        let isUp = false
        const { sender, sent, state } = givenSender((_, count) =>
          Effect.succeed(isUp || count % 2 === 0 ? delivered : failed)
        )
        const { elapse, shifted, shift } = yield* shiftingClock
        yield* TestClock.adjust("10 days")
        const petstore = yield* shifted(open(sender))
        const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
        const add = (name: string) => Effect.andThen(shifted(petstore.categories.create({ name })), settle)
        yield* add("Before")
        shift("1 day")
        yield* add("Ahead")
        shift("-1 day")
        yield* add("Back")
        yield* pass("1 minute")
        const { items } = yield* petstore.webhooks.deliveries(id)
        assert.deepStrictEqual(
          items.map(({ seq }) => seq),
          [2, 3, 4]
        )
        assert.isTrue(items.every(({ nextAttemptAt, status }) => status === "delivered" || nextAttemptAt !== undefined))
        yield* verified(petstore)
        isUp = true
        shift(0)
        yield* elapse("26 hours")
        const after = (yield* petstore.webhooks.deliveries(id)).items
        assert.deepStrictEqual(
          after.map(({ status }) => status),
          ["delivered", "delivered", "delivered"]
        )
        assert.deepStrictEqual([state.doubles, new Set(sent.map(({ id: event }) => event)).size], [0, 3])
        yield* verified(petstore)
      })
  )

  it.effect(
    "given an attempt whose outcome is not recorded, because the engine closes, then it is made again at once",
    () =>
      Effect.gen(function* () {
        const { sender, sent } = givenSender((_, count) => (count === 1 ? Effect.never : Effect.succeed(delivered)))
        const adapter = adapterOf()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const petstore = yield* open(sender, adapter)
            yield* petstore.webhooks.create({ url, types: ["category.created"] })
            yield* petstore.categories.create({ name: "Dogs" })
            yield* settle
            assert.strictEqual(sent.length, 1)
          })
        )
        const petstore = yield* open(sender, adapter)
        yield* pass("1 second")
        assert.strictEqual(sent.length, 2)
        const { items } = yield* petstore.webhooks.deliveries(1)
        assert.deepStrictEqual(
          items.map(({ attempts }) => attempts),
          [1],
          "what was interrupted is no attempt"
        )
        yield* verified(petstore)
      })
  )

  it.effect("given an outcome that the store refuses at first, then it is recorded, and no attempt is made again", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      const petstore = yield* open(sender, refusing("deliveries.record", 2))
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* pass("2 seconds")
      const { items } = yield* petstore.webhooks.deliveries(1)
      assert.deepStrictEqual([items[0]?.status, sent.length], ["delivered", 1])
    })
  )

  it.effect("given an attempt whose delivery another worker has claimed, then it ends, and extends no lease", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const { sender } = givenSender(() => hanging)
      const petstore = yield* open(sender)
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* settle
      const other = yield* claimedByOther(petstore.storage)
      yield* pass("21 seconds")
      assert.deepStrictEqual(yield* petstore.storage.find(deliveries, other.delivery.id), other)
      assert.strictEqual(interrupted, 1)
    })
  )

  it.effect(
    "given an attempt that ends after another worker has claimed its delivery, then its outcome is not recorded",
    () =>
      Effect.gen(function* () {
        const response = yield* Deferred.make<WebhookOutcome>()
        const gone: WebhookOutcome = { delivered: false, reason: "gone", status: 410, message: "Gone." }
        const { sender, sent } = givenSender((_, count) =>
          count === 1 ? Deferred.await(response) : Effect.succeed(delivered)
        )
        const petstore = yield* open(sender)
        const { find } = petstore.storage
        const { id } = yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        const other = yield* claimedByOther(petstore.storage)
        yield* Deferred.succeed(response, gone)
        yield* settle
        assert.deepStrictEqual(yield* find(deliveries, other.delivery.id), other)
        assert.isTrue((yield* petstore.webhooks.get(id)).enabled)
        // The other worker is gone as well: its lease expires.
        yield* pass("61 seconds")
        assert.strictEqual(sent.length, 2)
        const { items } = yield* petstore.webhooks.deliveries(id)
        assert.deepStrictEqual(
          items.map(({ attempts, status }) => [status, attempts]),
          [["delivered", 1]]
        )
        yield* verified(petstore)
      })
  )

  it.effect(
    "given an attempt in progress, when the clock is set forward, so that its process claims the delivery again, then it is not sent twice",
    () =>
      Effect.gen(function* () {
        const response = yield* Deferred.make<WebhookOutcome>()
        const { sender, sent } = givenSender(() => Deferred.await(response))
        const { shift, shifted } = yield* shiftingClock
        const petstore = yield* shifted(open(sender))
        yield* petstore.webhooks.create({ url, types: ["category.created"] })
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        shift("2 minutes")
        yield* pass("16 seconds")
        const claimed = yield* petstore.storage.find(deliveries, 1)
        assert.deepStrictEqual([claimed?.lease.fence, sent.length], [2, 1])
        yield* Deferred.succeed(response, delivered)
        yield* settle
        const [delivery] = (yield* petstore.webhooks.deliveries(1)).items
        assert.deepStrictEqual([delivery?.status, delivery?.attempts, sent.length], ["delivered", 1, 1])
      })
  )

  it.effect(
    "given attempts whose processes end, then the first lost one does not count, each further one does, and none is made beside",
    () =>
      Effect.gen(function* () {
        const database = adapterOf()
        const found: Array<ReadonlyArray<string>> = []
        for (let process = 1; process <= 4; process++) {
          let hasEnded = false
          const { sender, sent } = givenSender(() => Effect.never)
          const petstore = yield* open(
            sender,
            running((_, run) => (hasEnded ? Effect.fail(new StorageUnavailable({})) : run), database)
          )
          if (process === 1) {
            yield* petstore.webhooks.create({ url, types: ["category.created"] })
            for (const name of ["Dogs", "Cats"]) yield* petstore.categories.create({ name })
          }
          yield* pass(2 * deliveryLeaseMillis)
          const { items } = yield* petstore.deliveries.list()
          const names = sent.map(({ body }) => JSON.parse(body).data.name)
          const endpoint = yield* petstore.storage.find(webhooks, 1)
          assert.isUndefined(endpoint?.failingSince, "a lost attempt says nothing about the endpoint")
          found.push([...names, ...items.map(({ attempts, failure = "pending" }) => `${attempts} ${failure}`)])
          hasEnded = true
        }
        assert.deepStrictEqual(found, [
          ["Dogs", "Cats", "0 pending", "0 pending"],
          ["Dogs", "0 attempt_lost", "0 pending"],
          ["Cats", "1 attempt_lost", "0 attempt_lost"],
          ["Dogs", "1 attempt_lost", "1 attempt_lost"]
        ])
      })
  )

  it.effect("given a store that fails until after the lease of an attempt, then its outcome is recorded later", () =>
    Effect.gen(function* () {
      const { sender, sent } = givenSender(() => Effect.succeed(delivered))
      let fails: (command: string | undefined) => boolean = (command) => command === "deliveries.record"
      const adapter = running((command, run) => {
        if (!fails(command)) return run
        // From then on, it fails altogether.
        fails = () => true
        return Effect.fail(new StorageUnavailable({}))
      })
      const petstore = yield* open(sender, adapter)
      yield* petstore.webhooks.create({ url, types: ["category.created"] })
      yield* petstore.categories.create({ name: "Dogs" })
      yield* pass("2 minutes")
      fails = () => false
      yield* pass("20 seconds")
      const [delivery] = (yield* petstore.webhooks.deliveries(1)).items
      assert.deepStrictEqual([delivery?.status, delivery?.attempts, sent.length], ["delivered", 1, 1])
    })
  )
})
