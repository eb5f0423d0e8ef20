import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Turns } from "./Turns.ts"

/** An effect that runs until `end` succeeds, and others that wait for it. */
const given = (count: number) =>
  Effect.gen(function* () {
    const turns = new Turns()
    const end = yield* Deferred.make<void>()
    const ran: Array<number> = []
    const inTurn = (n: number) => turns.run(Effect.sync(() => ran.push(n)))
    const first = yield* Effect.forkChild(turns.run(Deferred.await(end)), { startImmediately: true })
    const others = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => Effect.forkChild(inTurn(n), { startImmediately: true })
    )
    return { end, first, inTurn, others, ran }
  })

describe("given effects that wait for the end of another", () => {
  it.effect("when that ends, then they run in their order, however many they are", () =>
    Effect.gen(function* () {
      const count = 10_000
      const { end, others, ran } = yield* given(count)
      assert.isEmpty(ran)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.joinAll(others)
      assert.deepStrictEqual(
        ran,
        Array.from({ length: count }, (_, n) => n)
      )
    })
  )

  it.effect("when one of them and that one are interrupted, then the others run", () =>
    Effect.gen(function* () {
      const { first, inTurn, others, ran } = yield* given(3)
      const [, second] = others
      if (second !== undefined) yield* Fiber.interrupt(second)
      assert.isEmpty(ran)
      yield* Fiber.interrupt(first)
      yield* inTurn(3)
      assert.deepStrictEqual(ran, [0, 2, 3])
    })
  )
})
