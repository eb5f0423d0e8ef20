import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { withRows } from "../../test/support/withRows.ts"
import { assertRejects } from "../../testing/src/assertRejects.ts"
import { recordEvents, waitUntil } from "../../testing/src/petstore/recordEvents.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { StorageBusy } from "../domain/errors/ServiceErrors.ts"
import type { Event } from "../domain/events/Event.ts"
import type { OrderState } from "../domain/orders/OrderState.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore, type PetstoreTransaction } from "./EffectPetstore.ts"
import { openPetstore } from "./openPetstore.ts"

const fresh = <A, E>(body: Effect.Effect<A, E, Petstore>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory())))

const category = (n: number) => Effect.flatMap(Petstore, ({ categories }) => categories.create({ name: `Dogs ${n}` }))

const seqs = (events: ReadonlyArray<Event>) => events.map(({ seq }) => seq)

describe("given the events of a petstore as a stream", () => {
  it.effect("when it is taken from the beginning, then past events come, and then those that are committed", () =>
    fresh(
      Effect.gen(function* () {
        const { events } = yield* Petstore
        yield* category(1)
        const taking = yield* Effect.forkChild(Stream.runCollect(Stream.take(events.stream({ after: 0 }), 3)))
        yield* category(2)
        yield* category(3)
        const taken = yield* Fiber.join(taking)
        assert.deepStrictEqual(seqs(taken), [1, 2, 3])
        assert.deepStrictEqual(taken, yield* Stream.runCollect(events.all()))
        assert.strictEqual(yield* events.latest, 3)
      })
    )
  )

  it.effect("when it is passed with its commit, then it is frozen as a whole, and its JSON is that of the log", () =>
    fresh(
      Effect.gen(function* () {
        const { events, webhooks } = yield* Petstore
        const taking = yield* Effect.forkChild(Stream.runCollect(Stream.take(events.stream({ after: 0 }), 1)))
        yield* Effect.yieldNow
        yield* webhooks.create({ url: "https://example.com", types: ["pet.created"] })
        const [event] = yield* Fiber.join(taking)
        const isListFrozen = event?.type === "webhook.created" && Object.isFrozen(event.data.types)
        assert.deepStrictEqual([Object.isFrozen(event), Object.isFrozen(event?.data), isListFrozen], [true, true, true])
        const kept = yield* Stream.runCollect(events.all())
        assert.strictEqual(JSON.stringify([event]), JSON.stringify(kept))
      })
    )
  )

  it.effect("when a transaction is taken back, whole or in part, then nothing of that comes", () =>
    fresh(
      Effect.gen(function* () {
        const { events, transaction } = yield* Petstore
        const category = (tx: PetstoreTransaction, n: number) => tx.categories.create({ name: `Dogs ${n}` })
        yield* Effect.exit(transaction((tx) => Effect.andThen(category(tx, 1), Effect.fail("no"))))
        yield* transaction((tx) => {
          const part = Effect.exit(tx.transaction((inner) => Effect.andThen(category(inner, 3), Effect.fail("no"))))
          return Effect.all([category(tx, 2), part, category(tx, 4)])
        })
        const taken = yield* Stream.runCollect(Stream.take(events.stream({ after: 0, types: ["category.created"] }), 2))
        assert.deepStrictEqual(
          taken.map(({ data, seq }) => [seq, data.name]),
          [
            [1, "Dogs 2"],
            [2, "Dogs 4"]
          ]
        )
      })
    )
  )

  it.effect("when its place or a type cannot be, then it fails with the violations", () =>
    fresh(
      Effect.gen(function* () {
        const { events } = yield* Petstore
        const error = yield* Effect.flip(Stream.runDrain(events.stream({ after: -1, types: [] })))
        assert.strictEqual(error._tag, "ValidationFailed")
        assert.deepStrictEqual(
          error.violations?.map(({ path }) => path),
          ["/query/after", "/query/types"]
        )
      })
    )
  )

  it.effect("when the petstore closes, then it fails as shutting down", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { events } = Context.get(yield* Layer.buildWithScope(Petstore.layer(memory()), scope), Petstore)
      const draining = yield* Effect.forkChild(Stream.runDrain(events.stream()), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      const exit = yield* Fiber.await(draining)
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.propertyVal(Cause.squash(exit.cause), "_tag", "ShuttingDown")
    })
  )
})

/** A storage in memory whose log cannot be read while `broken` is set, and how many watch it. */
const breakable = () => {
  const state = { broken: false, watching: 0 }
  const count = (change: number) =>
    Effect.sync(() => {
      state.watching += change
    })
  const adapter: StorageAdapter = {
    name: "breakable",
    layer: Layer.effect(
      Storage,
      Effect.map(Storage, (store) => ({
        ...store,
        watch: (wake: () => void) => {
          const counted = Effect.acquireRelease(count(1), () => count(-1))
          return Effect.andThen(counted, store.watch(wake))
        },
        events: {
          latest: store.events.latest,
          find: store.events.find,
          scan: (after: number, limit: number) =>
            Effect.suspend(() => (state.broken ? Effect.fail(new StorageBusy({})) : store.events.scan(after, limit)))
        }
      }))
    ).pipe(Layer.provide(memory().layer))
  }
  return { adapter, state }
}

/** A petstore in memory that keeps what it logs. */
const logging = async () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => logged.push(String(message)))
  const petstore = await openPetstore(Layer.merge(Petstore.layer(memory()), Logger.layer([logger])))
  return { logged, petstore }
}

describe("given a signal that is not an AbortSignal", () => {
  for (const signal of [null, 5, {}, { aborted: false, throwIfAborted: () => {} }]) {
    it(`when it is ${JSON.stringify(signal)}, then it throws a TypeError, and nothing is subscribed`, async () => {
      const { adapter, state } = breakable()
      await using petstore = await createPetstore({ storage: adapter })
      const options = untyped({ signal })
      const message = /option signal takes an AbortSignal/
      assert.match(
        (
          await assertRejects(
            petstore.events.subscribe(() => {}, options),
            TypeError
          )
        ).message,
        message
      )
      assert.throws(() => petstore.events.stream({}, options), TypeError, message)
      assert.match((await assertRejects(petstore.pets.list({}, options), TypeError)).message, message)
      assert.strictEqual(state.watching, 0)
    })
  }
})

describe("given a subscription", () => {
  it("when it is closed while its listener is stuck, then it no longer watches the storage", async () => {
    const { adapter, state } = breakable()
    await using petstore = await createPetstore({ storage: adapter })
    const { received, subscription } = await recordEvents(petstore, {}, () => new Promise(() => {}))
    await petstore.categories.create({ name: "Dogs" })
    await waitUntil(() => received.length === 1)
    subscription.close()
    await waitUntil(() => state.watching === 0)
  })

  it("when the log cannot be read, then onError is called, and the next commit delivers what was missed", async () => {
    const { adapter, state } = breakable()
    await using petstore = await createPetstore({ storage: adapter })
    const failures: Array<unknown> = []
    const onError = (error: unknown, event: Event | undefined) => failures.push([error, event])
    const { seqs: received, untilHandled } = await recordEvents(petstore, { onError })
    state.broken = true
    await petstore.categories.create({ name: "Dogs" })
    await waitUntil(() => failures.length === 1)
    assert.deepStrictEqual(received(), [])
    state.broken = false
    await petstore.categories.create({ name: "Cats" })
    await untilHandled(2)
    assert.deepStrictEqual(received(), [1, 2])
    assert.deepStrictEqual(failures, [[new StorageBusy({}), undefined]])
  })

  it("when the store passes no events and more were committed than one read returns, then all of them come", async () => {
    await using petstore = await createPetstore({ storage: breakable().adapter })
    const { seqs: received, untilHandled } = await recordEvents(petstore)
    const numbers = Array.from({ length: 600 }, (_, index) => index + 1)
    await Promise.all(numbers.map((n) => petstore.categories.create({ name: `Dogs ${n}` })))
    await untilHandled(600)
    assert.deepStrictEqual(received(), numbers)
  })

  it("when its signal aborts before the store returns where it starts, then it rejects, and its listener is never called", async () => {
    const read = Promise.withResolvers<void>()
    const storage = withRows(memory(), ({ events }) => ({
      events: {
        ...events,
        scan: (...range) =>
          Effect.andThen(
            Effect.promise(() => read.promise),
            events.scan(...range)
          )
      }
    }))
    await using petstore = await createPetstore({ storage })
    await petstore.categories.create({ name: "Dogs" })
    const leave = new AbortController()
    const seen: Array<number> = []
    const subscribed = petstore.events.subscribe(({ seq }) => seen.push(seq), { after: 0, signal: leave.signal })
    const other = recordEvents(petstore, { after: 0 })
    leave.abort()
    read.resolve()
    assert.strictEqual((await assertRejects(subscribed, DOMException)).name, "AbortError")
    await (await other).untilHandled(1)
    assert.deepStrictEqual(seen, [])
  })

  it("when its listener works on an event, then its position is before it", async () => {
    await using petstore = await createPetstore()
    for (const name of ["Dogs", "Cats", "Birds"]) await petstore.categories.create({ name })
    let [latest, release] = [0, () => {}]
    const subscription = await petstore.events.subscribe(
      ({ seq }) =>
        new Promise<void>((resolve) => {
          latest = seq
          release = resolve
        }),
      { after: 0 }
    )
    for (const seq of [1, 2, 3]) {
      await waitUntil(() => latest === seq)
      assert.strictEqual(subscription.position, seq - 1)
      release()
    }
    await waitUntil(() => subscription.position === 3)
  })

  it("when it is closed, then its position is still behind the events that it did not want", async () => {
    await using petstore = await createPetstore()
    const subscription = await petstore.events.subscribe(() => {}, { types: ["pet.deleted"] })
    await petstore.categories.create({ name: "Dogs" })
    await waitUntil(() => subscription.position === 1)
    subscription.close()
    assert.strictEqual(subscription.position, 1)
  })

  it("when it has caught up and waits, then its position is behind what it did not want since", async () => {
    await using petstore = await createPetstore()
    await petstore.categories.create({ name: "Dogs" })
    const subscription = await petstore.events.subscribe(() => {}, { after: 0, types: ["pet.deleted"] })
    await waitUntil(() => subscription.position === 1)
    await petstore.categories.create({ name: "Cats" })
    await waitUntil(() => subscription.position === 2)
  })

  it("when it and every loop have ended, in whatever way, then nothing watches the storage", async () => {
    const { adapter, state } = breakable()
    await using petstore = await createPetstore({ storage: adapter })
    await petstore.categories.create({ name: "Dogs" })
    const leave = new AbortController()
    const closed = await recordEvents(petstore)
    await recordEvents(petstore, { signal: leave.signal })
    const waiting = petstore.events.stream()[Symbol.asyncIterator]()
    const next = waiting.next()
    for await (const { seq } of petstore.events.stream({ after: 0 })) {
      if (seq === 1) break
    }
    const stop = new AbortController()
    const stopped = petstore.events.stream({ after: 0 }, { signal: stop.signal })[Symbol.asyncIterator]()
    await stopped.next()
    stop.abort(new Error("Stop"))
    assert.match(String(await stopped.next().catch((error: unknown) => error)), /Stop/)
    assert.deepStrictEqual(await stopped.next(), { done: true, value: undefined })
    assert.strictEqual(state.watching, 1)
    state.broken = true
    const failing = petstore.events.stream({ after: 0 })[Symbol.asyncIterator]().next()
    assert.instanceOf(await failing.catch((error: unknown) => error), StorageBusy)
    state.broken = false
    closed.subscription.close()
    leave.abort()
    await waiting.return?.()
    await next
    await waitUntil(() => state.watching === 0)
    await recordEvents(petstore)
    await petstore.close()
    await waitUntil(() => state.watching === 0)
  })

  it("when its listener fails and there is no onError, then that is logged, and the next event comes", async () => {
    const { logged, petstore } = await logging()
    const { untilHandled } = await recordEvents(petstore, {}, ({ seq }) => {
      if (seq === 1) throw new Error("The mail server is away")
    })
    await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.create({ name: "Cats" })
    await untilHandled(2)
    assert.deepStrictEqual(logged, ["A listener failed with event 1,Error: The mail server is away"])
    await petstore.close()
  })

  it("when onError fails as well, then both are logged, and the next event comes", async () => {
    const { logged, petstore } = await logging()
    const onError = () => Promise.reject(new Error("So is the pager"))
    const { untilHandled } = await recordEvents(petstore, { onError }, ({ seq }) => {
      if (seq === 1) throw new Error("The mail server is away")
    })
    await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.create({ name: "Cats" })
    await untilHandled(2)
    assert.deepStrictEqual(logged, [
      "A listener failed with event 1, and so did onError; further ones are not logged until it succeeds,Error: The mail server is away,Error: So is the pager"
    ])
    await petstore.close()
  })

  it("when both fail with each event, then the first failure is logged, and the next one after onError has succeeded", async () => {
    const { logged, petstore } = await logging()
    let count = 0
    const onError = () => {
      if (++count !== 3) throw new Error("So is the pager")
    }
    const { untilHandled } = await recordEvents(petstore, { onError }, () => {
      throw new Error("The mail server is away")
    })
    for (let n = 1; n <= 5; n++) await petstore.categories.create({ name: `Category ${n}` })
    await untilHandled(5)
    await waitUntil(() => count === 5)
    await petstore.close()
    assert.deepStrictEqual(
      logged.map((line) => line.slice(0, 30)),
      ["A listener failed with event 1", "A listener failed with event 4"]
    )
  })

  it("when there are many, then Node.js warns of no leak, and closing ends them all", async () => {
    const warnings: Array<Error> = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on("warning", warn)
    const petstore = await createPetstore()
    const all = await Promise.all(Array.from({ length: 50 }, () => recordEvents(petstore)))
    await petstore.categories.create({ name: "Dogs" })
    for (const { untilHandled } of all) await untilHandled(1)
    await petstore.close()
    process.off("warning", warn)
    assert.deepStrictEqual(warnings, [])
  })

  it("when types are named, then the listener receives only their events, and the type determines the data", async () => {
    await using petstore = await createPetstore()
    await petstore.events.subscribe((event) => {
      expectTypeOf(event.type).toEqualTypeOf<Event["type"]>()
      if (event.type === "order.placed") expectTypeOf(event.data.state).toEqualTypeOf<OrderState>()
    })
    await petstore.events.subscribe(
      (event) => {
        expectTypeOf(event.type).toEqualTypeOf<"pet.created" | "pet.deleted">()
        if (event.type === "pet.created") expectTypeOf(event.data.name).toEqualTypeOf<string>()
      },
      { types: ["pet.created", "pet.deleted"], onError: (_, event) => expectTypeOf(event?.data.id) }
    )
  })
})
