import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { givenLogger } from "../../../test/support/givenLogger.ts"
import { withRows } from "../../../test/support/withRows.ts"
import { changeRow, saved, written } from "../../../test/support/writes.ts"
import { trimThrough } from "../../../test/trimStore.ts"
import { settle } from "../../../test/webhooks/sending.ts"
import { history } from "../../../testing/src/commands.ts"
import { runCommand } from "../../../testing/src/runCommand.ts"
import { newConsumer } from "../../../testing/src/storage/rows.ts"
import { testPetstore } from "../../../testing/src/testPetstore.ts"
import { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import type { Retention } from "../../domain/retention/Retention.ts"
import { deliverySchedule } from "../../domain/webhooks/Delivery.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { runtimeOf } from "../../petstore/openPetstore.ts"
import { Storage, type StorageAdapter } from "../../ports/Storage.ts"
import type { WebhookRequest } from "../../ports/WebhookSender.ts"
import { logSubject } from "../../tables/checkpointTable.ts"
import type { EventToAppend } from "../../tables/eventTable.ts"
import { checkpoints, consumers, events } from "../../tables/index.ts"
import { Trimming } from "./Trimming.ts"

const onStore = <A, E>(
  retention: Retention,
  body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Petstore.layer>>>,
  storage = withLockChecks(memory())
) => Effect.provide(body, Petstore.layer(storage, { retention }))

const createCategories = (count: number, first = 1) =>
  Effect.gen(function* () {
    const { categories } = yield* Petstore
    for (let n = first; n < first + count; n++) yield* categories.create({ name: `Category ${n}` })
  })

const trimAll = Effect.gen(function* () {
  const { trim } = yield* Trimming
  return yield* Effect.repeat(trim, { until: ({ isLast }) => isLast })
})

const kept = Effect.gen(function* () {
  const { events } = yield* Storage
  return (yield* events.scan(0, 1_000)).map(({ seq }) => seq)
})

const requireSound = Effect.gen(function* () {
  const { verify } = yield* Petstore
  const { checks } = yield* verify
  assert.deepStrictEqual(
    checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])),
    []
  )
})

describe("given a store that keeps so many events", () => {
  it.effect("when there are more, then the background removes them within seconds, and every rule holds", () =>
    onStore(
      { events: { count: 3 } },
      Effect.gen(function* () {
        yield* createCategories(250)
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(yield* kept, [248, 249, 250])
        yield* requireSound
        const { retention } = yield* Petstore
        const { trimmed, ...rest } = yield* retention
        assert.deepStrictEqual(rest, { earliest: 248, latest: 250 })
        assert.strictEqual(trimmed?.seq, 247)
        assert.match(trimmed?.at ?? "", /^1970-01-01T00:00:0[0-6]\.\d{3}Z$/)
      })
    )
  )

  it.effect("when there are fewer, then none is removed, and the retention shows it", () =>
    onStore(
      { events: { count: 3 } },
      Effect.gen(function* () {
        yield* createCategories(3)
        yield* TestClock.adjust("1 minute")
        const { retention } = yield* Petstore
        assert.deepStrictEqual(yield* retention, { earliest: 1, latest: 3 })
      })
    )
  )
})

describe("given a store that keeps events for a time", () => {
  it.effect("when it has passed, then they are removed, but for the last one", () =>
    onStore(
      { events: { for: "1 hour" } },
      Effect.gen(function* () {
        yield* createCategories(2)
        yield* TestClock.adjust("50 minutes")
        yield* createCategories(2, 3)
        assert.deepStrictEqual(yield* kept, [1, 2, 3, 4])
        yield* TestClock.adjust("11 minutes")
        assert.deepStrictEqual(yield* kept, [3, 4])
        yield* TestClock.adjust("2 hours")
        assert.deepStrictEqual(yield* kept, [4])
        yield* requireSound
        yield* createCategories(1, 5)
        assert.deepStrictEqual(yield* kept, [4, 5])
      })
    )
  )
})

describe("given the stored result of a creation whose event was removed", () => {
  it.effect("when a repeated call no longer returns it, then what is kept of the creation is removed", () =>
    onStore(
      {},
      Effect.gen(function* () {
        const { categories } = yield* Petstore
        const { scan } = yield* Storage
        const creations = Effect.map(scan(checkpoints, ["created/"], 10), (rows) =>
          rows.map(({ subject }) => subject).filter((subject) => subject.startsWith("created/"))
        )
        yield* categories.create({ name: "Dogs" }, { idempotencyKey: "dogs" })
        yield* createCategories(2)
        yield* trimThrough(1)
        assert.deepStrictEqual(yield* creations, ["created/1970-01-01T00:00:00.000Z/categories/1"])
        yield* requireSound
        yield* trimThrough(2, { resultsFrom: "1970-01-01T00:00:00.001Z" })
        assert.deepStrictEqual(yield* creations, [])
        yield* requireSound
      })
    )
  )
})

describe("given readers of a log from which events were removed", () => {
  const trimmed = <A, E>(body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Petstore.layer>>>) =>
    onStore({ events: { count: 2 } }, Effect.andThen(Effect.andThen(createCategories(5), trimAll), body))

  const expired = (error: unknown): void => {
    assert.instanceOf(error, CursorExpired)
    if (error instanceof CursorExpired) assert.deepStrictEqual(error.details, { earliest: 4 })
  }

  it.effect("when a list starts, then it begins with the first event that is kept", () =>
    trimmed(
      Effect.gen(function* () {
        const { events } = yield* Petstore
        const { items } = yield* events.list()
        assert.deepStrictEqual(
          items.map(({ seq }) => seq),
          [4, 5]
        )
      })
    )
  )

  it.effect("when a list from the end is to go further back than the first event that is kept, then it fails", () =>
    trimmed(
      Effect.gen(function* () {
        const { events } = yield* Petstore
        expired(yield* Effect.flip(events.list({ sort: "-seq", after: 1 })))
        assert.lengthOf((yield* events.list({ sort: "-seq", after: 3 })).items, 2)
      })
    )
  )

  it.effect("when a stream starts before the first event that is kept, then it fails with that event", () =>
    trimmed(
      Effect.gen(function* () {
        const { events } = yield* Petstore
        for (const after of [0, 1, 2]) {
          expired(yield* Effect.flip(Stream.runHead(events.stream({ after }))))
          expired(yield* Effect.flip(Stream.runHead(events.stream({ after, types: ["order.placed"] }))))
        }
        const read = yield* Stream.runCollect(Stream.take(events.stream({ after: 3 }), 2))
        assert.deepStrictEqual(
          read.map(({ seq }) => seq),
          [4, 5]
        )
      })
    )
  )

  it.effect("when the page after a cursor was removed meanwhile, then the list fails", () =>
    onStore(
      { events: { count: 2 } },
      Effect.gen(function* () {
        const { events } = yield* Petstore
        yield* createCategories(5)
        const { next } = yield* events.list({ limit: 1 })
        const { next: later } = yield* events.list({ limit: 3 })
        yield* trimAll
        expired(yield* Effect.flip(events.list({ cursor: next ?? "" })))
        assert.strictEqual((yield* events.list({ cursor: later ?? "" })).items.length, 2)
      })
    )
  )

  it("when a listener falls behind, then its subscription ends with the error, and skips nothing", async () => {
    const petstore = await testPetstore({ retention: { events: { count: 1 } } })
    const runtime = runtimeOf(petstore)
    const seen: Array<number> = []
    const ended = Promise.withResolvers<unknown>()
    const first = Promise.withResolvers<void>()
    const handled = Promise.withResolvers<void>()
    await petstore.categories.create({ name: "Category 1" })
    await petstore.events.subscribe(
      async ({ seq }) => {
        seen.push(seq)
        first.resolve()
        await handled.promise
      },
      { after: 0, onError: (error) => ended.resolve(error) }
    )
    await first.promise
    for (let n = 2; n <= 900; n++) await petstore.categories.create({ name: `Category ${n}` })
    await runtime.runPromise(trimAll)
    handled.resolve()
    const error = await ended.promise
    assert.instanceOf(error, CursorExpired)
    assert.deepStrictEqual(
      seen,
      seen.map((_, index) => index + 1)
    )
    await petstore.close()
  })

  it("when a subscription starts before the first event that is kept, then it rejects", async () => {
    const petstore = await testPetstore({ retention: { events: { count: 1 } } })
    for (let n = 1; n <= 3; n++) await petstore.categories.create({ name: `Category ${n}` })
    await runtimeOf(petstore).runPromise(trimAll)
    const error: unknown = await petstore.events.subscribe(() => {}, { after: 0 }).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, CursorExpired)
    await petstore.close()
  })
})

describe("given a consumer that has not handled all events", () => {
  it.effect("when they expire, then those behind its position stay, and the retention shows who keeps them", () =>
    onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        const store = yield* Storage
        yield* written([saved(consumers, newConsumer({ name: "invoices", position: 4 }))])
        const held = { consumer: "invoices", position: 4 }
        yield* createCategories(10)
        assert.deepStrictEqual((yield* trimAll).holder, held)
        assert.deepStrictEqual(yield* kept, [5, 6, 7, 8, 9, 10])
        const { retention } = yield* Petstore
        assert.deepStrictEqual((yield* retention).heldBy, held)
        yield* requireSound
        yield* changeRow(store, consumers, "invoices", (consumer) => ({ ...consumer, position: 10 }))
        yield* trimAll
        assert.deepStrictEqual(yield* kept, [10])
      }),
      // The transactions of this test have no names.
      memory()
    )
  )

  it.effect("when they have been kept for ten minutes, then the log says so, and again after ten more", () => {
    const { logged, logging } = givenLogger()
    return onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        yield* written([saved(consumers, newConsumer({ name: "invoices", position: 4 }))])
        yield* createCategories(10)
        const counts: Array<number> = []
        for (const minutes of [9, 2, 8, 2]) {
          yield* TestClock.adjust(`${minutes} minutes`)
          counts.push(logged.length)
        }
        assert.deepStrictEqual(counts, [0, 1, 1, 2])
        assert.include(logged[0], "the consumer invoices has not handled them")
      }),
      memory()
    ).pipe(logging)
  })
})

describe("given a webhook that has not got all events", () => {
  const url = "https://example.com/hook"
  const failing = {
    send: ({ body }: WebhookRequest) =>
      Effect.succeed(
        JSON.parse(body).subject === "categories/2"
          ? ({ delivered: false, reason: "connection", message: "No connection." } as const)
          : ({ delivered: true, status: 204 } as const)
      ),
    urlProblem: () => undefined
  }
  type Services = Layer.Success<ReturnType<typeof Petstore.layer>>
  const sending = <A, E>(storage: ReturnType<typeof memory>, body: Effect.Effect<A, E, Services>) =>
    Effect.provide(body, Petstore.layer(storage, { webhooks: failing }))
  /** What is left when the store keeps one event. */
  const trimmed = (storage: ReturnType<typeof memory>, retention: Retention = {}) =>
    onStore(
      { events: { count: 1 }, ...retention },
      Effect.gen(function* () {
        yield* trimAll
        yield* requireSound
        const { retention } = yield* Petstore
        return { kept: yield* kept, heldBy: (yield* retention).heldBy }
      }),
      storage
    )

  it.effect("when a delivery is pending, then its event and those behind it stay until it has failed for good", () =>
    Effect.gen(function* () {
      const storage = withLockChecks(memory())
      yield* sending(
        storage,
        Effect.gen(function* () {
          const { categories, webhooks } = yield* Petstore
          yield* createCategories(3)
          yield* webhooks.create({ url, types: ["category.updated"] })
          for (const id of [2, 3]) yield* categories.update(id, { description: "They bark" })
          yield* settle
          yield* createCategories(3, 5)
          yield* settle
          yield* TestClock.adjust("2 minutes")
          yield* settle
        })
      )
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [5, 6, 7, 8, 9], heldBy: { webhook: 1, position: 4 } })
      // Closed in between: days in which a petstore looks every few seconds take long also by a test clock.
      for (const delay of deliverySchedule.delays) {
        yield* TestClock.adjust(delay * 1.2)
        yield* sending(storage, settle)
      }
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [9], heldBy: { webhook: 1, position: 9 } })
    })
  )

  it.effect("when nothing sends, then the events after its route stay, and for a week more once it is disabled", () =>
    Effect.gen(function* () {
      const storage = withLockChecks(memory())
      const change = <A, E>(body: Effect.Effect<A, E, Services>) => onStore({}, body, storage)
      yield* change(
        Effect.gen(function* () {
          yield* createCategories(2)
          yield* (yield* Petstore).webhooks.create({ url })
          yield* createCategories(2, 4)
        })
      )
      yield* TestClock.adjust("30 days")
      const held = { webhook: 1, position: 2 }
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [3, 4, 5], heldBy: held })
      yield* change(Effect.flatMap(Petstore, ({ webhooks }) => webhooks.update(1, { enabled: false })))
      yield* TestClock.adjust("167 hours")
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [3, 4, 5, 6], heldBy: held })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [6], heldBy: undefined })
    })
  )

  it.effect("when it has not got an event for longer than webhooks may keep events, then the event is removed", () =>
    Effect.gen(function* () {
      const storage = memory()
      const change = <A, E>(body: Effect.Effect<A, E, Services>) => onStore({}, body, storage)
      yield* change(
        Effect.gen(function* () {
          yield* (yield* Petstore).webhooks.create({ url })
          yield* createCategories(2)
        })
      )
      yield* TestClock.adjust("1 day")
      yield* change(createCategories(2, 3))
      const afterADay: Retention = { undelivered: { for: "1 day" } }
      const held = { webhook: 1, position: 0 }
      assert.deepStrictEqual(yield* trimmed(storage, afterADay), { kept: [1, 2, 3, 4, 5], heldBy: held })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* trimmed(storage, afterADay), { kept: [4, 5], heldBy: held })
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [4, 5], heldBy: held })
      yield* TestClock.adjust("1 day")
      const consumer = newConsumer({ position: 3 })
      yield* change(written([saved(consumers, consumer)]))
      assert.deepStrictEqual((yield* trimmed(storage, afterADay)).kept, [4, 5], "a consumer has not handled them")
    })
  )

  it.effect("when it is deleted, then it keeps no events", () =>
    Effect.gen(function* () {
      const storage = withLockChecks(memory())
      yield* onStore(
        {},
        Effect.gen(function* () {
          const { webhooks } = yield* Petstore
          const { id } = yield* webhooks.create({ url })
          yield* createCategories(2)
          yield* webhooks.delete(id)
        }),
        storage
      )
      assert.deepStrictEqual(yield* trimmed(storage), { kept: [4], heldBy: undefined })
    })
  )
})

describe("given two petstores on one store", () => {
  it.effect("when both remove events at once, then each event is folded once", () =>
    Effect.gen(function* () {
      const storage = withLockChecks(memory())
      const open = Petstore.layer(storage, { retention: { events: { count: 1 } } })
      yield* Effect.gen(function* () {
        const [one, other] = [yield* Layer.build(Layer.fresh(open)), yield* Layer.build(Layer.fresh(open))]
        yield* Effect.provide(createCategories(450), one)
        yield* Effect.all([Effect.provide(trimAll, one), Effect.provide(trimAll, other)], { concurrency: "unbounded" })
        yield* Effect.provide(trimAll, one)
        assert.deepStrictEqual(yield* Effect.provide(kept, other), [450])
        yield* Effect.provide(requireSound, other)
      }).pipe(Effect.scoped)
    })
  )
})

/** A store whose first events another process removes between the reads of this one. */
const overtaken = (adapter: StorageAdapter): StorageAdapter => ({
  ...adapter,
  layer: Layer.effect(
    Storage,
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(adapter.layer), Storage)
      let isNext = true
      return {
        ...store,
        findAll: (table, keys) =>
          Effect.suspend(() => {
            const found = store.findAll(table, keys)
            if (!isNext || table.name !== checkpoints.name) return found
            isNext = false
            return Effect.andThen(Effect.provideService(trimThrough(2), Storage, store), found)
          })
      }
    })
  )
})

/** A store whose first events another process removes before this one removes them. */
const overtakenLate = (adapter: StorageAdapter): StorageAdapter => {
  let isNext = true
  return withRows(adapter, (store) => ({
    run: (begin, command) =>
      Effect.suspend(() => {
        const removing = store.run(begin, command)
        if (!isNext || command !== "events.trim") return removing
        isNext = false
        return Effect.andThen(Effect.orDie(Effect.provideService(trimThrough(2), Storage, store)), removing)
      })
  }))
}

describe("given a process that removes events after all reads of another one", () => {
  it.effect("when the other one removes events, then it removes none from what it has read, and the rest next", () =>
    onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        yield* createCategories(4)
        const { trim } = yield* Trimming
        assert.strictEqual((yield* trim).removed, 0)
        assert.deepStrictEqual(yield* kept, [3, 4])
        yield* trimAll
        assert.deepStrictEqual(yield* kept, [4])
        yield* requireSound
      }),
      overtakenLate(withLockChecks(memory()))
    )
  )
})

describe("given a process that removes events between two reads of another one", () => {
  it.effect("when the other one removes events, then it sees no fault and removes the rest", () =>
    onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        yield* createCategories(4)
        const { trim } = yield* Trimming
        assert.deepStrictEqual(yield* trim, { removed: 0, isLast: false })
        yield* trimAll
        assert.deepStrictEqual(yield* kept, [4])
        yield* requireSound
      }),
      overtaken(withLockChecks(memory()))
    )
  )
})

describe("given a fault in events that have expired", () => {
  const deletedBefore: EventToAppend = {
    id: "evt_000000000000000000000000",
    type: "category.deleted",
    subject: "categories/9",
    timestamp: "1970-01-01T00:00:00.000Z",
    data: { id: 9 }
  }

  it.effect("when they would be removed, then they are kept, so that verification shows the fault", () =>
    onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        yield* createCategories(3)
        yield* written([{ log: events.name, rows: [deletedBefore] }])
        yield* createCategories(1, 4)
        const { trim } = yield* Trimming
        const { problem, removed } = yield* trim
        assert.strictEqual(removed, 0)
        assert.match(problem ?? "", /event_versions.*not created before/)
        assert.strictEqual((yield* kept).length, 5)
      }),
      // The transactions of this test have no names.
      memory()
    )
  )

  it.effect("when the background would remove them, then it logs this once", () => {
    const { logged, logging } = givenLogger()
    return onStore(
      { events: { count: 1 } },
      Effect.gen(function* () {
        yield* createCategories(3)
        yield* written([{ log: events.name, rows: [deletedBefore] }])
        yield* createCategories(1, 4)
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(logged, 1)
        assert.match(logged[0] ?? "", /^Events that have expired are kept, because .*Run petstore verify\.$/)
      }),
      memory()
    ).pipe(logging)
  })

  it.effect("when what verification has kept of removed events is none, then the retention shows the rest", () =>
    onStore(
      {},
      Effect.gen(function* () {
        yield* createCategories(3)
        yield* trimThrough(2)
        const storage = yield* Storage
        yield* changeRow(storage, checkpoints, logSubject, (row) => ({ ...row, state: "{" }))
        const { retention } = yield* Petstore
        assert.deepStrictEqual(yield* retention, { earliest: 3, latest: 3 })
      })
    )
  )

  for (const subject of ["pets/1", "settled/pets/0", logSubject]) {
    it.effect(`when its row ${subject} is damaged, then no more events are removed, and the reason names it`, () =>
      onStore(
        { events: { count: 1 } },
        Effect.gen(function* () {
          const { categories, pets } = yield* Petstore
          yield* categories.create({ name: "Dogs" })
          for (const name of ["Rex", "Max"]) yield* pets.create({ name, categoryId: 1 })
          yield* pets.delete(2)
          yield* createCategories(1)
          yield* trimAll
          yield* Effect.flatMap(Storage, (storage) =>
            changeRow(storage, checkpoints, subject, (row) => ({ ...row, state: "{" }))
          )
          yield* pets.update(1, { name: "Ace" })
          yield* pets.create({ name: "Kim", categoryId: 1 })
          yield* pets.delete(3)
          yield* createCategories(1, 2)
          const before = yield* kept
          assert.strictEqual((yield* trimAll).problem, `the row ${subject} of the checkpoint is damaged`)
          assert.deepStrictEqual(yield* kept, before)
        }),
        memory()
      )
    )
  }
})

describe("given a random history", () => {
  it.prop(
    "when events are removed after some of its commands, then every rule holds after each",
    [history(25)],
    async ([commands]) => {
      const petstore = await testPetstore({ retention: { events: { count: 4 } } })
      for (const [index, command] of commands.entries()) {
        await runCommand(petstore, command)
        if (index % 3 !== 0) continue
        await runtimeOf(petstore).runPromise(Effect.andThen(trimAll, requireSound))
      }
      await petstore.close()
    }
  )
})
