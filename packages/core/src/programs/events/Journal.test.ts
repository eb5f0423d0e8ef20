import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { newEvent } from "../../domain/events/Event.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Hasher } from "../../ports/Hasher.ts"
import { portableHasher } from "../../runtime/portableHasher.ts"
import { Journal } from "./Journal.ts"

const journal = () =>
  Journal.layer.pipe(Layer.provide(Layer.merge(memory().layer, Layer.succeed(Hasher, portableHasher))))

const fresh = <A, E>(body: Effect.Effect<A, E, Journal>) => Effect.suspend(() => Effect.provide(body, journal()))

describe("given a clock that is set back", () => {
  it.effect("when the time is asked for, then it is never earlier than before", () =>
    fresh(
      Effect.gen(function* () {
        const { now } = yield* Journal
        yield* TestClock.setTime(5_000)
        assert.strictEqual(yield* now, "1970-01-01T00:00:05.000Z")
        yield* TestClock.setTime(1_000)
        assert.strictEqual(yield* now, "1970-01-01T00:00:05.000Z")
        yield* TestClock.setTime(6_000)
        assert.strictEqual(yield* now, "1970-01-01T00:00:06.000Z")
      })
    )
  )

  it.effect("when it had run far ahead, then the time follows it back", () =>
    fresh(
      Effect.gen(function* () {
        const { clockTime, now } = yield* Journal
        yield* TestClock.setTime(31_536_000_000)
        assert.strictEqual(yield* now, "1971-01-01T00:00:00.000Z")
        yield* TestClock.setTime(31_536_000_000 - 60_000)
        assert.strictEqual(yield* now, "1970-12-31T23:59:00.000Z")
        yield* TestClock.setTime(5_000)
        assert.strictEqual(yield* now, "1970-01-01T00:00:05.000Z")
        yield* TestClock.setTime(1_000)
        assert.deepStrictEqual([yield* now, yield* clockTime], ["1970-01-01T00:00:05.000Z", "1970-01-01T00:00:01.000Z"])
      })
    )
  )

  it.effect("when a change is recorded at the time before, then the ids of its events are not older than that", () =>
    fresh(
      Effect.gen(function* () {
        const { now, stamped } = yield* Journal
        yield* TestClock.setTime(30_000)
        yield* now
        yield* TestClock.setTime(10_000)
        const at = yield* now
        const data = { id: 1, name: "Dogs", version: 1 }
        const clock = yield* Clock.clockWith(Effect.succeed)
        const [event] = stamped(clock, at, [newEvent("category.created", data)], undefined)
        assert.strictEqual(event?.timestamp, "1970-01-01T00:00:30.000Z")
        assert.strictEqual(Number.parseInt(event?.id.slice(4, 13) ?? "", 36), 30_000)
      })
    )
  )

  it.effect("when ids are made, then they sort in the order in which they were made", () =>
    fresh(
      Effect.gen(function* () {
        const { nextId } = yield* Journal
        const ids: Array<string> = []
        for (const at of [5_000, 5_000, 1_000, 5_000, 5_001, 0, 9_000_000_000_000]) {
          yield* TestClock.setTime(at)
          for (let n = 0; n < 50; n++) ids.push(yield* nextId("evt"))
        }
        assert.deepStrictEqual(ids, [...new Set(ids)].sort())
      })
    )
  )
})

describe("given two engines at one moment", () => {
  it.effect("when both make ids, then they are different", () =>
    Effect.gen(function* () {
      const one = fresh(Effect.flatMap(Journal, ({ nextId }) => nextId("msg")))
      const ids = yield* Effect.all(Array.from({ length: 20 }, () => one))
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const id of ids) assert.match(id, /^msg_[0-9a-z]{22}$/)
    })
  )
})
