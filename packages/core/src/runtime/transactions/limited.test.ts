import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { theStore } from "../../domain/access/Principal.ts"
import { RequestTimeout } from "../../domain/errors/ServiceErrors.ts"
import { ask, direct } from "../../ports/Direct.ts"
import { limited } from "./limited.ts"

describe("given a body that does not end", () => {
  it.effect("when its time is over by the clock of its caller, then it is cancelled, and the transaction fails", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const services = Context.make(Clock.Clock, clock)
      const happened: Array<string> = []
      const body = direct<never>((_asker, done) => () => {
        happened.push("cancelled")
        done(Exit.interrupt())
      })
      ask(limited(body, 1_000), { principal: theStore, services, onStart: () => undefined }, (exit) => {
        const failure = Exit.isFailure(exit) && exit.cause.reasons[0]
        assert.instanceOf(failure && failure._tag === "Fail" && failure.error, RequestTimeout)
        happened.push("failed")
      })
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(happened, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(happened, ["failed", "cancelled"])
    })
  )

  it.effect("when it has no time by the clock of its caller, then it is cancelled at once", () =>
    Effect.gen(function* () {
      const services = Context.make(Clock.Clock, yield* Clock.Clock)
      const happened: Array<string> = []
      const body = direct<never>(() => () => happened.push("cancelled"))
      ask(limited(body, 0), { principal: theStore, services, onStart: () => undefined }, ({ _tag }) =>
        happened.push(_tag)
      )
      yield* Effect.yieldNow
      assert.deepStrictEqual(happened, ["Failure", "cancelled"])
    })
  )
})
