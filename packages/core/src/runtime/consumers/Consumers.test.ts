import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { withRows } from "../../../test/support/withRows.ts"
import { changeRow, noticed, replaces } from "../../../test/support/writes.ts"
import { StorageFull } from "../../domain/errors/ServiceErrors.ts"
import type { Event } from "../../domain/events/Event.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage, type StorageAdapter } from "../../ports/Storage.ts"
import { type ConsumerRecord, consumers } from "../../tables/consumerTables.ts"
import { consumerHolder } from "../retention/holders.ts"
import { Consumers } from "./Consumers.ts"
import type { ConsumerDefinition } from "./runConsumer.ts"

/** An engine on a database, until its scope closes. */
const opened = (adapter: StorageAdapter) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(Layer.fresh(Petstore.layer(withLockChecks(adapter))), scope)
    const inRuntime = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, services)
    return { inRuntime, close: Scope.close(scope, Exit.void) }
  })

const consumerLease = 10_000

type Opened = Effect.Success<ReturnType<typeof opened>>

/** Adds categories, each of which is one event. */
const add = ({ inRuntime }: Opened, count: number) =>
  inRuntime(
    Effect.flatMap(Petstore, ({ categories }) =>
      Effect.forEach(Array.from({ length: count }), () => categories.create({ name: `C${++names}` }), { discard: true })
    )
  )
let names = 0

const failures = () => {
  const found: Array<string> = []
  const onFailure: ConsumerDefinition["onFailure"] = (error, event, failure) =>
    Effect.sync(() => {
      const message = error instanceof Error ? error.message : String(error)
      found.push(
        event === undefined
          ? message
          : `${event.seq} ${message} ${failure?.attempt}${failure?.parked === true ? " parked" : ""}`
      )
    })
  return { found, onFailure }
}

/** Runs a consumer on an engine, with what it has handled. */
const consuming = (
  { inRuntime }: Opened,
  handle: (event: Event, attempt: number) => Effect.Effect<unknown, unknown>,
  fields: Partial<ConsumerDefinition> = {}
) =>
  Effect.gen(function* () {
    const handled: Array<number> = []
    const { found, onFailure } = failures()
    const scope = yield* Scope.make()
    const consumer = yield* inRuntime(
      Effect.flatMap(Consumers, ({ consume }) =>
        consume({
          name: "invoices",
          after: 0,
          timeout: 60_000,
          handler: {
            kind: "each",
            handle: (event, attempt) =>
              Effect.andThen(
                handle(event, attempt),
                Effect.sync(() => handled.push(event.seq))
              )
          },
          onFailure,
          ...fields
        })
      )
    ).pipe(Scope.provide(scope))
    return { handled, failures: found, consumer, close: Scope.close(scope, Exit.void) }
  })

const status = ({ inRuntime }: Opened, name = "invoices") =>
  inRuntime(Effect.flatMap(Consumers, (consumers) => consumers.get(name)))

/** Changes the stored record of a consumer. */
const change = ({ inRuntime }: Opened, fields: Partial<ConsumerRecord>) =>
  inRuntime(
    Effect.flatMap(Storage, (store) => changeRow(store, consumers, "invoices", (row) => ({ ...row, ...fields })))
  )

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

const works = () => Effect.void

describe("a consumer", () => {
  it.effect("given a position after the end of the log, then it handles what is added from now on", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      yield* add(runtime, 2)
      const { handled } = yield* consuming(runtime, works, { after: 1_000 })
      yield* add(runtime, 2)
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(handled, [3, 4])
    })
  )

  it.effect("given types, then it handles these alone, and its position passes the others", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      const { handled } = yield* consuming(runtime, works, { types: ["category.deleted"] })
      yield* add(runtime, 3)
      yield* runtime.inRuntime(Effect.flatMap(Petstore, ({ categories }) => categories.delete(1)))
      yield* add(runtime, 3)
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(handled, [4])
      const { position, types } = yield* status(runtime)
      assert.deepStrictEqual([position, types], [7, ["category.deleted"]])
    })
  )

  it.effect("given many events of other types to read, then its position is recorded on the way", () =>
    Effect.gen(function* () {
      const database = memory()
      yield* add(yield* opened(database), 2_000)
      const slow = withRows(database, ({ events }) => ({
        events: { ...events, scan: (...range) => Effect.andThen(Effect.sleep(1_000), events.scan(...range)) }
      }))
      yield* Effect.forkScoped(consuming(yield* opened(slow), works, { types: ["category.deleted"] }))
      yield* TestClock.adjust(8_500)
      const { position } = yield* status(yield* opened(database))
      assert.isTrue(position > 0 && position < 2_000, String(position))
    })
  )

  for (const concurrency of [1, 2]) {
    for (const end of ["the consumer", "the petstore"] as const) {
      it.effect(
        `given events of other types, ${concurrency} at a time, when ${end} closes, then it has passed them`,
        () =>
          Effect.gen(function* () {
            const database = memory()
            const runtime = yield* opened(database)
            const { consumer } = yield* consuming(runtime, works, { types: ["category.deleted"], concurrency })
            yield* TestClock.adjust(10)
            yield* add(runtime, 3)
            yield* TestClock.adjust(10)
            yield* end === "the petstore" ? runtime.close : consumer.close
            assert.strictEqual((yield* status(yield* opened(database))).position, 3)
          })
      )
    }
  }

  it.effect("given many events, then its position is recorded a few times a second, and when it is closed", () =>
    Effect.gen(function* () {
      let commits = 0
      const counting = withRows(memory(), ({ run }) => ({
        run: (begin, command) =>
          run(
            (tx, context) =>
              noticed(tx, begin(tx, context), (writes) => {
                if (replaces(consumers, writes)) commits++
              }),
            command
          )
      }))
      const runtime = yield* opened(counting)
      yield* add(runtime, 100)
      const { close, handled } = yield* consuming(runtime, () => Effect.sleep(10))
      // Within the first heartbeat: one claim, and a record every 250 ms.
      yield* TestClock.adjust(995)
      assert.strictEqual(handled.length, 99)
      assert.isAtMost(commits, 1 + 4)
      assert.isAtLeast(commits, 1 + 3)
      yield* close
      assert.strictEqual((yield* status(runtime)).position, 99)
    })
  )

  it.effect("given an event that comes while it waits, then its position stays before it until it is handled", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      const gate = yield* Deferred.make<void>()
      const { handled } = yield* consuming(runtime, ({ seq }) => (seq === 1 ? Effect.void : Deferred.await(gate)))
      const positions: Array<number> = []
      for (const next of [add(runtime, 1), add(runtime, 1), Deferred.succeed(gate, undefined)]) {
        yield* TestClock.adjust(2_000)
        yield* next
        yield* TestClock.adjust(2_000)
        positions.push((yield* status(runtime)).position)
      }
      assert.deepStrictEqual(
        [positions, handled],
        [
          [1, 1, 2],
          [1, 2]
        ]
      )
    })
  )

  it.effect(
    "given a handler that fails, then the event is tried again with growing delays, and none follows before",
    () =>
      Effect.gen(function* () {
        const runtime = yield* opened(memory())
        yield* add(runtime, 3)
        const attempts: Array<number> = []
        const next: Array<number> = []
        const { failures, handled } = yield* consuming(runtime, ({ seq }, attempt) => {
          if (seq === 3) next.push(attempt)
          if (seq !== 2 || attempt > 5) return Effect.void
          attempts.push(attempt)
          return Effect.fail(new Error("no paper"))
        })
        yield* TestClock.adjust(700)
        assert.deepStrictEqual([handled, attempts], [[1], [1]])
        const failed = yield* status(runtime)
        assert.deepStrictEqual([failed.position, failed.attempts, failed.lastError?.message], [1, 1, "no paper"])
        assert.isAtLeast(Date.parse(failed.retryAt ?? ""), 800)
        assert.isAtMost(Date.parse(failed.retryAt ?? ""), 1_200)
        yield* TestClock.adjust(1.2 * (1 + 2 + 4 + 8 + 16) * 1_000)
        assert.deepStrictEqual([handled, attempts, next], [from(1, 3), from(1, 5), [1]])
        assert.deepStrictEqual(
          failures,
          from(1, 5).map((attempt) => `2 no paper ${attempt}`)
        )
        const { attempts: left, lastError, position, retryAt } = yield* status(runtime)
        assert.deepStrictEqual([position, left, retryAt, lastError?.message], [3, 0, undefined, "no paper"])
      })
  )

  it.effect("given `parkAfter`, then the event is parked, the next follow, and a replay handles it", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      yield* add(runtime, 4)
      let broken = true
      const { failures, handled } = yield* consuming(
        runtime,
        ({ seq }) => (seq === 2 && broken ? Effect.fail("poison") : Effect.void),
        { parkAfter: 3 }
      )
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(handled, [1, 3, 4])
      assert.deepStrictEqual(failures, ["2 poison 1", "2 poison 2", "2 poison 3 parked"])
      const { parked, replay, discard } = yield* runtime.inRuntime(Consumers)
      const { items } = yield* parked("invoices")
      assert.deepStrictEqual(
        items.map(({ attempts, error, replaying, seq }) => ({ attempts, error, replaying, seq })),
        [{ attempts: 3, error: "poison", replaying: false, seq: 2 }]
      )
      const lowest = yield* runtime.inRuntime(Effect.flatMap(Storage, consumerHolder))
      assert.deepStrictEqual(lowest, { consumer: "invoices", position: 1 })

      yield* replay("invoices", 2)
      yield* TestClock.adjust(10)
      assert.strictEqual(failures.at(-1), "2 poison 4 parked")
      assert.deepStrictEqual((yield* parked("invoices")).items[0]?.replaying, false)
      broken = false
      yield* replay("invoices", 2)
      yield* TestClock.adjust(10)
      assert.deepStrictEqual([handled, (yield* parked("invoices")).items], [[1, 3, 4, 2], []])
      assert.strictEqual((yield* Effect.flip(replay("invoices", 2)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(discard("invoices", 2)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(parked("bills")))._tag, "NotFound")
      for (const change of [replay, discard]) {
        assert.strictEqual((yield* Effect.flip(change("bills", 2))).message, "There is no consumer bills.")
      }
    })
  )

  it.effect(
    "given two engines, then one handles the events, and the other takes over within a second when it closes",
    () =>
      Effect.gen(function* () {
        const adapter = memory()
        const [one, other] = [yield* opened(adapter), yield* opened(adapter)]
        const first = yield* consuming(one, works)
        yield* TestClock.adjust(10)
        const second = yield* consuming(other, works)
        yield* add(one, 3)
        yield* TestClock.adjust(10)
        assert.deepStrictEqual([first.handled, second.handled], [[1, 2, 3], []])
        const holder = (yield* status(one)).lease?.holder
        yield* one.close
        yield* add(other, 3)
        yield* TestClock.adjust(1_000)
        assert.deepStrictEqual(
          [first.handled, second.handled],
          [
            [1, 2, 3],
            [4, 5, 6]
          ]
        )
        assert.notStrictEqual((yield* status(other)).lease?.holder, holder)
      })
  )

  it.effect(
    "given a name that this process has open, then a second one logs once what to do, and one that follows nothing",
    () => {
      const logged: Array<string> = []
      const layer = Logger.layer([Logger.make(({ logLevel, message }) => logged.push(`${logLevel} ${message}`))])
      return Effect.gen(function* () {
        const adapter = memory()
        const runtime = yield* opened(adapter)
        const first = yield* consuming(runtime, works)
        yield* TestClock.adjust(3_000)
        yield* first.close
        const second = yield* consuming(runtime, works)
        yield* TestClock.adjust(3_000)
        assert.deepStrictEqual(logged, [])
        // Of the same petstore, and of another one.
        yield* consuming(runtime, works)
        yield* consuming(yield* opened(adapter), works)
        yield* TestClock.adjust(3_000)
        const warning =
          /^Warn The consumer invoices is open twice in this process\. .* Open it once, and close a petstore before you open another/
        assert.strictEqual(logged.length, 2)
        for (const line of logged) assert.match(line, warning)
        assert.deepStrictEqual(second.failures, [])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect(
    "given a holder that was stopped for longer than its lease, then another takes over, and what it records is refused",
    () =>
      Effect.gen(function* () {
        const adapter = memory()
        let stopped = false
        // As after SIGSTOP: it neither extends its lease nor learns that it was lost, and goes on in the middle of an event.
        const stopping = withRows(adapter, ({ run }) => ({
          run: (begin, command) =>
            stopped && command?.startsWith("consumers.") === true ? Effect.never : run(begin, command)
        }))
        const one = yield* opened(stopping)
        const other = yield* opened(adapter)
        yield* add(one, 2)
        const gate = yield* Deferred.make<void>()
        const first = yield* consuming(one, ({ seq }) =>
          seq === 2 ? Effect.uninterruptible(Deferred.await(gate)) : Effect.void
        )
        yield* TestClock.adjust(10)
        stopped = true
        const second = yield* consuming(other, works)
        yield* TestClock.adjust(consumerLease + 3_100)
        stopped = false
        yield* Deferred.succeed(gate, undefined)
        yield* add(other, 1)
        yield* TestClock.adjust(3_000)
        assert.deepStrictEqual(second.handled, [1, 2, 3])
        assert.strictEqual((yield* status(other)).position, 3)
        assert.deepStrictEqual(
          first.handled.filter((seq) => seq > 2),
          []
        )
      })
  )

  it.effect("given a handler that hangs, then the attempt fails after the timeout, and the lease stays", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      yield* add(runtime, 1)
      const { failures, handled } = yield* consuming(runtime, (_, attempt) =>
        attempt === 1 ? Effect.never : Effect.void
      )
      yield* TestClock.adjust(59_000)
      assert.deepStrictEqual(failures, [])
      assert.isDefined((yield* status(runtime)).lease)
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual([failures, handled], [["1 The handler took more than 60000 ms 1"], [1]])
    })
  )

  it.effect(
    "given a store that is full for less than a lease, then events wait, and nothing is lost, skipped or repeated",
    () =>
      Effect.gen(function* () {
        let full = false
        const filling = withRows(memory(), ({ run }) => ({
          run: (begin, command) =>
            full && command?.startsWith("consumers.") === true ? Effect.fail(new StorageFull({})) : run(begin, command)
        }))
        const runtime = yield* opened(filling)
        yield* add(runtime, 100)
        const { failures, handled } = yield* consuming(runtime, () => Effect.sleep(100))
        yield* TestClock.adjust(1_000)
        full = true
        yield* TestClock.adjust(consumerLease / 2)
        assert.isAtMost(handled.length, 15)
        assert.isAbove(failures.length, 1)
        full = false
        yield* TestClock.adjust(60_000)
        assert.deepStrictEqual(handled, from(1, 100))
      })
  )

  it.effect("given effects made before there is anything to read, then each run of them reads anew", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      const { get, parked } = yield* runtime.inRuntime(Consumers)
      const reads = Effect.all([get("invoices"), parked("invoices")])
      yield* consuming(runtime, () => Effect.fail("broken"), { parkAfter: 1 })
      for (const count of [1, 2]) {
        yield* add(runtime, 1)
        yield* TestClock.adjust(10_000)
        const [{ position }, { items }] = yield* reads
        assert.deepStrictEqual([position, items.length], [count, count])
      }
    })
  )

  it.effect("given a consumer that is removed, then it ends and says so, and a new one begins anew", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      yield* add(runtime, 2)
      let removed = 0
      const first = yield* consuming(runtime, ({ seq }) => (seq === 2 ? Effect.fail("poison") : Effect.void), {
        parkAfter: 1,
        onRemoved: () => {
          removed++
        }
      })
      yield* TestClock.adjust(500)
      const { get, parked, remove } = yield* runtime.inRuntime(Consumers)
      assert.strictEqual((yield* parked("invoices")).items.length, 1)
      yield* remove("invoices")
      assert.strictEqual((yield* Effect.flip(get("invoices")))._tag, "NotFound")
      yield* add(runtime, 1)
      yield* TestClock.adjust(consumerLease)
      assert.strictEqual(removed, 1)
      const second = yield* consuming(runtime, works)
      yield* TestClock.adjust(10)
      assert.deepStrictEqual([second.handled, (yield* parked("invoices")).items], [[1, 2, 3], []])
      yield* add(runtime, 1)
      yield* TestClock.adjust(500)
      assert.deepStrictEqual([first.handled.filter((seq) => seq > 3), second.handled.at(-1)], [[], 4])
    })
  )

  it.effect("given a clock that is set back after the holder died, then another takes over after its lease", () =>
    Effect.gen(function* () {
      const adapter = memory()
      const [dead, other] = [yield* opened(adapter), yield* opened(adapter)]
      yield* TestClock.setTime(Date.parse("2030-01-01"))
      yield* consuming(dead, works)
      yield* dead.close
      yield* change(other, { holder: "1-dead", lease: { fence: 9, until: "2031-01-01T00:00:00.000Z" } })
      yield* add(other, 1)
      const { handled } = yield* consuming(other, works)
      yield* TestClock.adjust(consumerLease)
      assert.deepStrictEqual(handled, [1])
    })
  )

  it.effect("given a clock that is set back after an event has failed, then it is tried after the longest delay", () =>
    Effect.gen(function* () {
      const runtime = yield* opened(memory())
      yield* TestClock.setTime(Date.parse("2030-01-01"))
      const first = yield* consuming(runtime, works)
      yield* first.close
      yield* change(runtime, { attempts: 1, retryAt: "2031-01-01T00:00:00.000Z" })
      yield* add(runtime, 1)
      const { handled } = yield* consuming(runtime, works)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(handled, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(handled, [1])
    })
  )
})
