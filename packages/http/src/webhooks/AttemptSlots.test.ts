import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { AttemptSlots } from "./AttemptSlots.ts"

/** Slots, and attempts that run until they are ended. */
const given = (limit: number) => {
  const slots = new AttemptSlots(limit)
  const started: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const attempt = (name: string) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      ends.set(name, end)
      started.push(name)
      yield* Deferred.await(end)
    })
  /** Asks for attempts, each named by the letter of its endpoint and a digit. */
  const ask = (...names: ReadonlyArray<string>) =>
    Effect.forEach(names, (name) =>
      Effect.tap(Effect.forkChild(slots.run(name.charCodeAt(0), attempt(name))), Effect.yieldNow)
    )
  const end = (name: string) =>
    Effect.andThen(Deferred.succeed(ends.get(name) ?? assert.fail(name), undefined), Effect.yieldNow)
  return { ask, end, slots, started }
}

describe("given slots for 4 attempts", () => {
  it.effect("when one endpoint asks for more, then the others still get their first attempts at once", () =>
    Effect.gen(function* () {
      const { ask, started } = given(4)
      yield* ask("a1", "a2", "a3", "a4", "a5", "b1")
      assert.deepStrictEqual(started, ["a1", "a2", "a3", "b1"])
    })
  )

  it.effect("when two endpoints wait for further attempts, then the one with the fewest gets the next slot", () =>
    Effect.gen(function* () {
      const { ask, end, started } = given(4)
      yield* ask("a1", "a2", "a3", "a4", "b1", "b2")
      yield* end("a1")
      assert.deepStrictEqual(started, ["a1", "a2", "a3", "b1", "b2"])
    })
  )

  it.effect("when more endpoints wait than there are slots, then they take turns", () =>
    Effect.gen(function* () {
      const { ask, end, started } = given(2)
      yield* ask("a1", "b1", "a2", "b2", "c1", "a3")
      yield* end("a1")
      yield* end("b1")
      yield* end("c1")
      assert.deepStrictEqual(started, ["a1", "b1", "c1", "a2", "b2"])
    })
  )

  it.effect("when attempts that wait or run are interrupted, then their slots are free", () =>
    Effect.gen(function* () {
      const { ask, started } = given(1)
      const [running, waiting] = yield* ask("a1", "b1", "c1")
      yield* Fiber.interrupt(waiting ?? assert.fail())
      yield* Fiber.interrupt(running ?? assert.fail())
      yield* Effect.yieldNow
      assert.deepStrictEqual(started, ["a1", "c1"])
    })
  )

  it.effect("when attempts are interrupted after any number of steps, then as many as before run at a time", () =>
    Effect.gen(function* () {
      const { ask, started, slots } = given(1)
      for (let steps = 0; steps < 20; steps++) {
        const attempt = Effect.provideService(slots.run(1, Effect.never), Scheduler.MaxOpsBeforeYield, 3)
        const fiber = yield* Effect.forkChild(attempt)
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      yield* ask("a1", "b1")
      assert.deepStrictEqual(started, ["a1"])
    })
  )
})
