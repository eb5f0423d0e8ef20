import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { LoopWake, ReplayWakes } from "./LoopWake.ts"

describe("given a loop that was asked to look for parked events", () => {
  it("when it has begun a look, then the next one is not asked for", () => {
    const wake = new LoopWake()
    wake.ask()
    assert.deepStrictEqual([wake.begin(), wake.begin()], [true, false])
  })
})

describe("given loops that listen for replays", () => {
  it.effect("when one has ended, then the others of its name are asked, and it is not", () =>
    Effect.gen(function* () {
      const wakes = new ReplayWakes()
      const [ended, open, other] = [new LoopWake(), new LoopWake(), new LoopWake()]
      const scope = yield* Scope.make()
      yield* Scope.provide(wakes.listen("mail", ended), scope)
      yield* wakes.listen("mail", open)
      yield* wakes.listen("stock", other)
      yield* Scope.close(scope, Exit.void)
      wakes.ask("mail")
      assert.deepStrictEqual(
        [ended, open, other].map((wake) => wake.begin()),
        [false, true, false]
      )
    })
  )
})
