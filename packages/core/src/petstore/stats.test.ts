import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { removed, saved, written } from "../../test/support/writes.ts"
import { assertRejects } from "../../testing/src/assertRejects.ts"
import { waitUntil } from "../../testing/src/petstore/recordEvents.ts"
import { newWebhookRecord } from "../../testing/src/storage/rows.ts"
import { unclaimed } from "../domain/Lease.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage } from "../ports/Storage.ts"
import type { EventStats } from "../runtime/events/Events.ts"
import { MessageDelivery } from "../runtime/messages/MessageDelivery.ts"
import { Trimming } from "../runtime/retention/Trimming.ts"
import { AttemptCounts } from "../runtime/stats/AttemptCounts.ts"
import {
  consumers,
  type DeliveryRecord,
  deliveries,
  messages as messageTable,
  newDeliveries,
  webhooks
} from "../tables/index.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"
import type { Petstore as CorePetstore } from "./Petstore.ts"

/** No attempt to deliver a webhook, by outcome. */
const noAttempts = {
  ...{ delivered: 0, status: 0, gone: 0, redirect: 0, timeout: 0, connection: 0, address: 0, response_too_large: 0 },
  ...{ invalid_response: 0, no_sender: 0, event_gone: 0, attempt_lost: 0 }
}

const withRegistry = <A, E>(body: Effect.Effect<A, E>) =>
  Effect.suspend(() => Effect.provideService(body, Metric.MetricRegistry, new Map()))

/** The values of all metrics in the registry, by name and labels. */
const metricValues = Effect.map(Effect.context<never>(), (context) =>
  Object.fromEntries(
    Metric.snapshotUnsafe(context).map(({ attributes = {}, id, state }) => [
      [id, ...Object.values(attributes)].join(" "),
      "count" in state ? Number(state.count) : "value" in state ? Number(state.value) : Number.NaN
    ])
  )
)

/** Waits a few turns of the event loop for these numbers of events. */
const eventsBecome = async (petstore: CorePetstore, expected: EventStats): Promise<void> => {
  for (let turns = 0; turns < 100; turns++) {
    if (isDeepStrictEqual((await petstore.stats()).events, expected)) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepStrictEqual((await petstore.stats()).events, expected)
}

describe("given a petstore in memory", () => {
  it("when commands succeed and are rejected, then stats counts their transactions, commits and events", async () => {
    await using petstore = await createPetstore()
    assert.strictEqual((await petstore.stats()).transactions.committed, 0)
    const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
    await petstore.pets.create({ name: "Tom", categoryId })
    await assertRejects(petstore.pets.create({ name: "Tim", categoryId: 99 }), "unknown_category")
    const { uptime, ...stats } = await petstore.stats()
    assert.isAtLeast(uptime, 0)
    assert.deepStrictEqual(stats, {
      storage: "memory",
      transactions: { committed: 2, rejected: 1, retried: 0, failed: 0, waiting: 0 },
      commits: {
        count: 2,
        transactions: 2,
        largest: 1,
        groupSizes: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((upTo) => ({ upTo, count: upTo === 1 ? 2 : 0 }))
      },
      events: { earliest: 1, latest: 3, subscribers: 0, lag: 0 },
      consumers: [],
      messages: { queued: 0, failed: 0, oldestQueued: 0, attempts: { delivered: 0, failed: 0 } },
      reservations: { overdue: 0, oldestOverdue: 0, tooLong: 0 },
      webhooks: { attempts: noAttempts, endpoints: [] }
    })
  })

  it("when a listener is slow, then stats shows how far it is behind, and nothing once it has caught up", async () => {
    await using petstore = await createPetstore()
    let release = () => {}
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    let handled = 0
    const subscription = await petstore.events.subscribe(async () => {
      await blocked
      handled++
    })
    for (const name of ["Cats", "Dogs", "Birds"]) await petstore.categories.create({ name })
    assert.deepStrictEqual((await petstore.stats()).events, { earliest: 1, latest: 3, subscribers: 1, lag: 3 })
    release()
    await waitUntil(() => handled === 3 && subscription.position === 3)
    await eventsBecome(petstore, { earliest: 1, latest: 3, subscribers: 1, lag: 0 })
    subscription.close()
    await eventsBecome(petstore, { earliest: 1, latest: 3, subscribers: 0, lag: 0 })
  })

  it("when results of verify are recorded, then stats shows the last one", async () => {
    const petstore = await createPetstore()
    assert.isUndefined((await petstore.stats()).verification)
    const { checks, ok } = await petstore.verify({ record: true })
    assert.isTrue(ok)
    assert.deepInclude((await petstore.stats()).verification, { ok: true, checks: checks.length, violations: 0 })
    await petstore.close()
  })

  it("when it is closed, then stats rejects", async () => {
    const petstore = await createPetstore()
    await petstore.close()
    await assertRejects(petstore.stats(), "shutting_down")
  })
})

const consumer = {
  name: "invoices",
  position: 1,
  lease: { fence: 0 },
  attempts: 0,
  createdAt: "1970-01-01T00:00:00.000Z"
}

const givenDeliveries = (webhookId: number, count: number): ReadonlyArray<DeliveryRecord> =>
  Array.from({ length: count }, (_, n) => ({
    delivery: {
      ...{ id: 0, webhookId, seq: n + 1, eventId: `evt_${n}`, type: "pet.deleted", subject: "pets/1" },
      ...{ status: "pending", attempts: 0, createdAt: new Date(n * 1_000).toISOString() }
    },
    lease: unclaimed
  }))

const inPetstore = <A, E>(body: Effect.Effect<A, E, Petstore | Storage | AttemptCounts>) =>
  withRegistry(Effect.suspend(() => Effect.provide(body, Petstore.layer(memory()))))

describe("given queues", () => {
  it.effect("when messages wait, have failed and are delivered, then stats and metrics count them by status", () =>
    Effect.gen(function* () {
      const { messages, stats } = yield* Petstore
      const { find } = yield* Storage
      const failed = yield* messages.enqueue("Never")
      const record = (yield* find(messageTable, failed.id)) ?? assert.fail()
      const ended = { status: "failed", finishedAt: record.createdAt, lastError: "No", attempts: 0 } as const
      yield* written([saved(messageTable, { ...record, ...ended }, record)])
      yield* messages.enqueue("Hello")
      yield* TestClock.adjust("2 minutes")
      yield* messages.enqueue("Hello again")
      const read = yield* stats
      assert.deepStrictEqual(read.messages, {
        ...{ queued: 2, failed: 1, oldestQueued: 120, attempts: { delivered: 0, failed: 0 } }
      })
      assert.deepInclude(yield* metricValues, {
        "petstore_messages memory queued": 2,
        "petstore_messages memory failed": 1,
        "petstore_message_oldest_queued_seconds memory": 120,
        "petstore_message_attempts_total memory delivered": 0
      })
    }).pipe(inPetstore)
  )

  it.effect("when a handler delivers messages, then its attempts are counted by outcome", () =>
    Effect.gen(function* () {
      const { messages, stats } = yield* Petstore
      for (const message of ["Hello", "No", "Hello"]) yield* messages.enqueue(message)
      while ((yield* stats).messages.queued > 1) yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* stats).messages.attempts, { delivered: 2, failed: 1 })
      assert.strictEqual((yield* stats).messages.queued, 1)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          MessageDelivery.layer(({ message }) => (message === "No" ? Effect.fail(message) : Effect.void)),
          Petstore.layer(memory())
        )
      ),
      withRegistry
    )
  )

  it.effect("when a consumer does not run, then stats and metrics show how far and how long it is behind", () =>
    Effect.gen(function* () {
      const { categories, stats } = yield* Petstore
      yield* categories.create({ name: "Cats" })
      yield* TestClock.adjust("1 minute")
      yield* categories.create({ name: "Dogs" })
      yield* TestClock.adjust("1 minute")
      yield* categories.create({ name: "Birds" })
      const other = { ...consumer, name: "a", position: 3 }
      yield* written([saved(consumers, consumer), saved(consumers, other)])
      assert.deepStrictEqual((yield* stats).consumers, [
        { name: "a", position: 3, lag: 0, age: 0 },
        { name: "invoices", position: 1, lag: 2, age: 60 }
      ])
      assert.deepInclude(yield* metricValues, {
        "petstore_consumer_position memory invoices": 1,
        "petstore_consumer_lag memory invoices": 2,
        "petstore_consumer_lag_seconds memory invoices": 60,
        "petstore_consumer_lag memory a": 0
      })
      yield* written([removed(consumers, other)])
      yield* stats
      assert.doesNotHaveAnyKeys(yield* metricValues, ["petstore_consumer_lag memory a"])
      assert.deepInclude(yield* metricValues, { "petstore_consumer_lag memory invoices": 2 })
    }).pipe(inPetstore)
  )

  it.effect("when deliveries wait or have failed, then stats and metrics count them by endpoint, up to 1,000", () =>
    Effect.gen(function* () {
      const { stats } = yield* Petstore
      const { run, scan } = yield* Storage
      const counts = yield* AttemptCounts
      const given = [newWebhookRecord(), newWebhookRecord({ url: "https://b.example/" })]
      const added = yield* run(function* (tx) {
        return yield* tx.insertAll(
          webhooks,
          given.map((row) => (id) => webhooks.withId(row, id))
        )
      })
      const [busy = 0, idle = 0] = added.map(({ webhook }) => webhook.id)
      yield* written([{ log: newDeliveries.name, rows: givenDeliveries(busy, 1_005) }])
      const [first = assert.fail()] = yield* scan(deliveries, [], 1)
      const { nextAttemptAt: _, ...delivery } = first.delivery
      const failed = { ...delivery, status: "failed", failure: "timeout", finishedAt: delivery.createdAt } as const
      yield* written([saved(deliveries, { ...first, delivery: failed }, first)])
      yield* TestClock.adjust("1 minute")
      counts.webhooks.delivered += 2
      counts.webhooks.timeout++
      assert.deepStrictEqual((yield* stats).webhooks, {
        attempts: { ...noAttempts, delivered: 2, timeout: 1 },
        endpoints: [
          { id: busy, enabled: true, pending: 1_000, failed: 1, oldestPending: 59 },
          { id: idle, enabled: true, pending: 0, failed: 0, oldestPending: 0 }
        ]
      })
      assert.deepInclude(yield* metricValues, {
        [`petstore_webhook_deliveries memory ${busy} pending`]: 1_000,
        [`petstore_webhook_deliveries memory ${busy} failed`]: 1,
        [`petstore_webhook_oldest_pending_seconds memory ${busy}`]: 59,
        [`petstore_webhook_enabled memory ${idle}`]: 1,
        "petstore_webhook_attempts_total memory timeout": 1
      })
    }).pipe(inPetstore)
  )

  it.effect("when events were removed, then stats and metrics have the first that is kept", () =>
    Effect.gen(function* () {
      const { categories, stats } = yield* Petstore
      const { trim } = yield* Trimming
      for (const name of ["Cats", "Dogs", "Birds"]) yield* categories.create({ name })
      yield* trim
      assert.deepInclude((yield* stats).events, { earliest: 3, latest: 3 })
      assert.deepInclude(yield* metricValues, { "petstore_events_earliest memory": 3 })
    }).pipe(Effect.provide(Petstore.layer(memory(), { retention: { events: { count: 1 } } })), withRegistry)
  )
})

describe("given a program with Effect", () => {
  it.effect("when it reads the metrics of Effect, then they have the values of stats", () =>
    Effect.gen(function* () {
      const { categories, events, stats } = yield* Petstore
      yield* categories.create({ name: "Cats" })
      yield* Effect.exit(categories.create({ name: "Cats" }))
      yield* Effect.forkScoped(Stream.runDrain(events.stream()), { startImmediately: true })
      yield* TestClock.adjust("90 seconds")
      const read = yield* stats
      assert.strictEqual(read.uptime, 90)
      for (const { id, type } of Metric.snapshotUnsafe(yield* Effect.context<never>())) {
        const other = id === "petstore_commit_transactions" ? "Histogram" : "Gauge"
        assert.strictEqual(type, id.endsWith("_total") ? "Counter" : other, id)
      }
      assert.deepInclude(yield* metricValues, {
        "petstore_transactions_total memory committed": 1,
        "petstore_transactions_total memory rejected": 1,
        "petstore_transactions_total memory failed": 0,
        "petstore_commit_transactions memory": 1,
        "petstore_events_latest memory": 1,
        "petstore_event_subscribers memory": 1,
        "petstore_uptime_seconds memory": 90
      })
      yield* categories.create({ name: "Dogs" })
      yield* TestClock.adjust("2 seconds")
      // The store is read for the next values.
      yield* metricValues
      assert.deepInclude(yield* metricValues, { "petstore_events_latest memory": 2 })
      yield* categories.create({ name: "Birds" })
      yield* metricValues
      assert.deepInclude(yield* metricValues, { "petstore_events_latest memory": 2 }, "it is read once a second")
    }).pipe(Effect.scoped, (body) => Effect.suspend(() => Effect.provide(body, Petstore.layer(memory()))), withRegistry)
  )

  it.effect("when petstores open and close, then each has its own metrics, as long as it is open", () =>
    Effect.gen(function* () {
      const open = Layer.build(Layer.fresh(Petstore.layer(memory())))
      const names = Effect.map(metricValues, (values) =>
        Object.keys(values).filter((name) => name.startsWith("petstore_uptime_seconds"))
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.map(open, (context) => Context.get(context, Petstore))
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* open
              assert.deepStrictEqual(yield* names, [
                "petstore_uptime_seconds memory",
                "petstore_uptime_seconds memory 2"
              ])
            })
          )
          assert.deepStrictEqual(yield* names, ["petstore_uptime_seconds memory"])
        })
      )
      assert.deepStrictEqual(yield* names, [])
    }).pipe(withRegistry)
  )
})
