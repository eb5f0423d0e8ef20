import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { assertRejects } from "../../testing/src/assertRejects.ts"
import { waitUntil } from "../../testing/src/engine/recordEvents.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage } from "../ports/Storage.ts"
import type { EventStats } from "../services/Events.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"
import type { Petstore as CorePetstore } from "./Petstore.ts"

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
        groupSizes: [1, 2, 4, 8, 16, 32, 64].map((upTo) => ({ upTo, count: upTo === 1 ? 2 : 0 }))
      },
      events: { latest: 3, subscribers: 0, lag: 0 },
      consumers: [],
      messages: { oldestQueued: 0 }
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
    assert.deepStrictEqual((await petstore.stats()).events, { latest: 3, subscribers: 1, lag: 3 })
    release()
    await waitUntil(() => handled === 3 && subscription.position === 3)
    await eventsBecome(petstore, { latest: 3, subscribers: 1, lag: 0 })
    subscription.close()
    await eventsBecome(petstore, { latest: 3, subscribers: 0, lag: 0 })
  })

  it("when it is closed, then stats rejects", async () => {
    const petstore = await createPetstore()
    await petstore.close()
    await assertRejects(petstore.stats(), "shutting_down")
  })
})

describe("given queues", () => {
  it.effect(
    "when a message waits and a consumer does not run, then stats and metrics show for how long and how far",
    () =>
      Effect.gen(function* () {
        const { messages, stats } = yield* Petstore
        const { consumers, transact } = yield* Storage
        yield* messages.enqueue("Hello")
        yield* TestClock.adjust("2 minutes")
        yield* messages.enqueue("Hello again")
        yield* transact(
          consumers.insert({
            name: "invoices",
            position: 0,
            lease: { fence: 0 },
            attempts: 0,
            createdAt: "2026-01-01T00:00:00.000Z"
          })
        )
        const read = yield* stats
        assert.deepStrictEqual(read.messages, { oldestQueued: 120 })
        assert.deepStrictEqual(read.consumers, [{ name: "invoices", position: 0, lag: 2 }])
        assert.deepInclude(yield* metricValues, {
          "petstore_consumer_lag memory": 2,
          "petstore_message_oldest_queued_seconds memory": 120
        })
      }).pipe((body) => Effect.suspend(() => Effect.provide(body, Petstore.layer(memory()))), withRegistry)
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
      assert.deepInclude(yield* metricValues, {
        "petstore_transactions_total memory committed": 1,
        "petstore_transactions_total memory rejected": 1,
        "petstore_transactions_total memory failed": 0,
        "petstore_commit_transactions memory": 1,
        "petstore_events_latest memory": 1,
        "petstore_event_subscribers memory": 1,
        "petstore_uptime_seconds memory": 90
      })
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
