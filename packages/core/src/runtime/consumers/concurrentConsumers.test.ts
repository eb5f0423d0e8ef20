import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core/effect"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import type { Event } from "../../domain/events/Event.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import type { StorageAdapter } from "../../ports/Storage.ts"
import { Consumers } from "./Consumers.ts"
import type { ConsumerDefinition } from "./runConsumer.ts"

/** Opens an engine with categories 1 to `count`, each of which is the subject of one event. */
const runtimeWith = (count: number, adapter: StorageAdapter = memory()) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.fresh(Petstore.layer(adapter)))
    const inRuntime = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, services)
    const create = (name: string) =>
      inRuntime(Effect.flatMap(Petstore, ({ categories }) => categories.create({ name })))
    for (let n = 1; n <= count; n++) yield* create(`Category ${n}`)
    const update = (id: number, description: string) =>
      inRuntime(Effect.flatMap(Petstore, ({ categories }) => categories.update(id, { description })))
    return { inRuntime, create, update }
  })

type Runtime = Effect.Success<ReturnType<typeof runtimeWith>>

/** Runs a consumer, and records when it begins and has ended to handle each event. */
const consuming = (
  { inRuntime }: Runtime,
  handle: (event: Event, attempt: number) => Effect.Effect<unknown, unknown>,
  fields: Partial<ConsumerDefinition> = {}
) =>
  Effect.gen(function* () {
    const begun: Array<number> = []
    const ended: Array<number> = []
    const failures: Array<string> = []
    const scope = yield* Scope.make()
    const { close } = yield* inRuntime(
      Effect.flatMap(Consumers, ({ consume }) =>
        consume({
          name: "invoices",
          after: 0,
          timeout: 60_000,
          concurrency: 3,
          handler: {
            kind: "each",
            handle: (event, attempt) =>
              Effect.suspend(() => {
                begun.push(event.seq)
                return Effect.andThen(
                  handle(event, attempt),
                  Effect.sync(() => ended.push(event.seq))
                )
              })
          },
          onFailure: (error, event, failure) =>
            Effect.sync(() => {
              failures.push(`${event?.seq} ${error} ${failure?.attempt}${failure?.parked === true ? " parked" : ""}`)
            }),
          ...fields
        })
      )
    ).pipe(Scope.provide(scope))
    const position = inRuntime(Effect.flatMap(Consumers, (consumers) => consumers.get("invoices"))).pipe(
      Effect.map((consumer) => consumer.position)
    )
    yield* TestClock.adjust(10)
    return { begun, ended, failures, close, position }
  })

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe("a consumer that handles several events at the same time", () => {
  it.effect("given events of different subjects, then as many are handled at once as it may, and the next follow", () =>
    Effect.gen(function* () {
      const runtime = yield* runtimeWith(7)
      const { begun, ended, position } = yield* consuming(runtime, () => Effect.sleep(1_000))
      assert.deepStrictEqual([begun, ended], [[1, 2, 3], []])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual([begun.length, ended], [6, [1, 2, 3]])
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(ended, from(1, 7))
      yield* runtime.create("Later")
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual([ended, yield* position], [from(1, 8), 8])
    })
  )

  it.effect("given an event that takes long, then events that are committed meanwhile are handled beside it", () =>
    Effect.gen(function* () {
      const runtime = yield* runtimeWith(1)
      const { ended, position } = yield* consuming(runtime, ({ seq }) => Effect.sleep(seq === 1 ? 50_000 : 10))
      for (const n of from(2, 6)) {
        yield* runtime.create(`Category ${n}`)
        yield* TestClock.adjust(100)
      }
      assert.deepStrictEqual(ended, from(2, 6))
      yield* TestClock.adjust(10_000)
      assert.strictEqual(yield* position, 0)
      yield* TestClock.adjust(50_000)
      assert.deepStrictEqual([ended, yield* position], [[2, 3, 4, 5, 6, 1], 6])
    })
  )

  it.effect(
    "given a first event that hangs, then no more than 16 for each at the same time are handled before it",
    () =>
      Effect.gen(function* () {
        const runtime = yield* runtimeWith(60)
        const { ended } = yield* consuming(runtime, ({ seq }) => (seq === 1 ? Effect.never : Effect.void))
        yield* TestClock.adjust(1_000)
        assert.deepStrictEqual(ended, from(2, 3 * 16))
      })
  )

  it.effect("given events of one subject, then they are handled one after the other, in order", () =>
    Effect.gen(function* () {
      const runtime = yield* runtimeWith(2)
      for (const n of from(3, 6)) yield* runtime.update(1, `Change ${n}`)
      const { begun, ended } = yield* consuming(runtime, ({ seq }) => Effect.sleep(seq === 1 ? 1_000 : 50))
      assert.deepStrictEqual([begun, ended], [[1, 2], []])
      yield* TestClock.adjust(500)
      assert.deepStrictEqual([begun, ended], [[1, 2], [2]])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(ended, [2, 1, 3, 4, 5, 6])
    })
  )

  it.effect("given that it ends before the first event is handled, then all from that one on are handled again", () =>
    Effect.gen(function* () {
      const adapter = memory()
      const crashed = yield* Scope.make()
      const before = yield* Scope.provide(runtimeWith(5, adapter), crashed)
      const first = yield* consuming(before, ({ seq }) => (seq === 2 ? Effect.never : Effect.void))
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual([first.ended, yield* first.position], [[1, 3, 4, 5], 1])
      yield* Scope.close(crashed, Effect.runSync(Effect.exit(Effect.void)))
      const second = yield* consuming(yield* runtimeWith(0, adapter), () => Effect.void)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual([second.ended, yield* second.position], [from(2, 5), 5])
    })
  )

  it.effect(
    "given an event that fails, then none starts until it has succeeded, and those beside it are not repeated",
    () =>
      Effect.gen(function* () {
        const runtime = yield* runtimeWith(9)
        const { begun, ended, failures, position } = yield* consuming(runtime, ({ seq }, attempt) =>
          seq === 2 && attempt <= 2
            ? Effect.andThen(Effect.sleep(20), Effect.fail(`no ${attempt}`))
            : Effect.sleep(seq === 1 || seq === 3 ? 100 : 1)
        )
        yield* TestClock.adjust(200)
        assert.deepStrictEqual([begun, ended, failures], [[1, 2, 3], [1, 3], ["2 no 1 1"]])
        assert.strictEqual(yield* position, 1)
        yield* TestClock.adjust(10_000)
        assert.deepStrictEqual(failures, ["2 no 1 1", "2 no 2 2"])
        assert.deepStrictEqual(begun.slice(0, 5), [1, 2, 3, 2, 2])
        assert.deepStrictEqual([ended.slice(0, 3), [...ended].sort()], [[1, 3, 2], from(1, 9)])
        assert.strictEqual(yield* position, 9)
      })
  )

  it.effect(
    "given several events that fail for ever, then each is parked after its attempts, and all others are handled",
    () =>
      Effect.gen(function* () {
        const runtime = yield* runtimeWith(8)
        const { ended, failures, position } = yield* consuming(
          runtime,
          ({ seq }) => (seq % 3 === 1 ? Effect.fail("no") : Effect.void),
          { parkAfter: 2 }
        )
        yield* TestClock.adjust(20_000)
        assert.deepStrictEqual(
          failures,
          [1, 4, 7].flatMap((seq) => [`${seq} no 1`, `${seq} no 2 parked`])
        )
        assert.deepStrictEqual([[...ended].sort(), yield* position], [[2, 3, 5, 6, 8], 8])
      })
  )

  it.effect("given handlers that hang, then each fails after its timeout", () =>
    Effect.gen(function* () {
      const runtime = yield* runtimeWith(3)
      const { ended, failures } = yield* consuming(
        runtime,
        (_, attempt) => (attempt === 1 ? Effect.never : Effect.void),
        { timeout: 5_000 }
      )
      yield* TestClock.adjust(60_000)
      assert.deepStrictEqual(
        failures,
        [1, 2, 3].map((seq) => `${seq} Error: The handler took more than 5000 ms 1`)
      )
      assert.deepStrictEqual(ended, [1, 2, 3])
    })
  )

  it.effect("given that it is closed, then it waits for all that it handles, and starts no other", () =>
    Effect.gen(function* () {
      const runtime = yield* runtimeWith(9)
      const gate = yield* Deferred.make<void>()
      const { begun, close, ended, position } = yield* consuming(runtime, () => Deferred.await(gate))
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual([closing.pollUnsafe(), begun, ended], [undefined, [1, 2, 3], []])
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(1_000)
      assert.isDefined(closing.pollUnsafe())
      assert.deepStrictEqual([begun, ended, yield* position], [[1, 2, 3], [1, 2, 3], 3])
    })
  )

  it.effect(
    "given any subjects, durations and failures, then each event is handled once, in order within its subject",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.array(fc.record({ subject: fc.integer({ min: 1, max: 4 }), millis: fc.nat(3_000), fails: fc.nat(2) }), {
              minLength: 1,
              maxLength: 40
            }),
            fc.integer({ min: 2, max: 5 }),
            (plan, concurrency) =>
              Effect.gen(function* () {
                const runtime = yield* runtimeWith(4)
                for (const [index, { subject }] of plan.entries()) yield* runtime.update(subject, `Change ${index}`)
                const done: Array<Event> = []
                const open = new Set<string>()
                const { failures, position } = yield* consuming(
                  runtime,
                  (event, attempt) =>
                    Effect.gen(function* () {
                      const { fails = 0, millis = 0 } = plan[event.seq - 5] ?? {}
                      assert.isFalse(open.has(event.subject), "another one of its subject runs")
                      open.add(event.subject)
                      assert.isAtMost(open.size, concurrency)
                      yield* Effect.sleep(millis)
                      open.delete(event.subject)
                      if (attempt <= fails) return yield* Effect.fail("no")
                      done.push(event)
                    }),
                  { concurrency }
                )
                yield* TestClock.adjust("10 minutes")
                assert.deepStrictEqual(
                  done.map(({ seq }) => seq).sort((a, b) => a - b),
                  from(1, plan.length + 4)
                )
                for (const subject of new Set(done.map((event) => event.subject))) {
                  const seqs = done.filter((event) => event.subject === subject).map(({ seq }) => seq)
                  assert.deepStrictEqual(
                    seqs,
                    [...seqs].sort((a, b) => a - b)
                  )
                }
                assert.strictEqual(
                  failures.length,
                  plan.reduce((sum, { fails }) => sum + fails, 0)
                )
                assert.strictEqual(yield* position, plan.length + 4)
              }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
          ),
          { numRuns: 12 }
        )
      )
  )
})
