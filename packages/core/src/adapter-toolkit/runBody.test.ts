import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { runBody } from "./runBody.ts"

const run = <A, E>(body: Effect.Effect<A, E>) => runBody(Context.empty(), body)

const waited = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause) && /waited/.test(String(Cause.squash(exit.cause)))

describe("runBody", () => {
  it("given a body that forks, yields and joins, it has ended on return", () => {
    const body = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.as(Effect.yieldNow, 1))
      const parts = yield* Effect.all([Effect.as(Effect.yieldNow, 2), Effect.succeed(3)], { concurrency: "unbounded" })
      return [yield* Fiber.join(fiber), ...parts]
    })
    assert.deepStrictEqual(run(body), Exit.succeed([1, 2, 3]))
  })

  it("given a body that fails, dies or interrupts itself, it returns that exit", () => {
    assert.deepStrictEqual(run(Effect.fail("no")), Exit.fail("no"))
    assert.deepStrictEqual(run(Effect.die("no")), Exit.die("no"))
    const interrupted = run(Effect.interrupt)
    assert.isTrue(Exit.isFailure(interrupted) && Cause.hasInterruptsOnly(interrupted.cause))
  })

  it("given a body that waits, it dies, and what the body holds is released", () => {
    let released = false
    const body = Effect.ensuring(
      Effect.never,
      Effect.sync(() => {
        released = true
      })
    )
    assert.isTrue(waited(run(body)))
    assert.isTrue(released)
  })

  it("given a body inside a body, nothing of the outer one happens while the inner one yields", () => {
    const steps: Array<string> = []
    const step = (name: string) =>
      Effect.andThen(
        Effect.sync(() => steps.push(name)),
        Effect.yieldNow
      )
    const inner = Effect.sync(() => run(Effect.andThen(step("inner 1"), step("inner 2"))))
    const outer = Effect.gen(function* () {
      const part = yield* Effect.forkChild(Effect.andThen(step("outer 1"), step("outer 2")), { startImmediately: true })
      yield* inner
      yield* Fiber.join(part)
    })
    assert.isTrue(Exit.isSuccess(run(outer)))
    assert.deepStrictEqual(steps, ["outer 1", "inner 1", "inner 2", "outer 2"])
  })

  it("given a body that waits for a part of an outer body, it dies alone", () => {
    const body = Effect.gen(function* () {
      const part = yield* Effect.forkChild(Effect.as(Effect.yieldNow, "outer"))
      const inner = run(Effect.flatMap(Effect.succeed(part), Fiber.join))
      return [waited(inner), yield* Fiber.join(part)]
    })
    assert.deepStrictEqual(run(body), Exit.succeed([true, "outer"]))
  })

  it("given a fiber that outlives its body, a later body does not run its steps", () => {
    const steps: Array<string> = []
    const stray = Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => steps.push("stray"))
    )
    run(Effect.forkDetach(stray, { startImmediately: true }))
    run(
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => steps.push("later"))
      )
    )
    assert.deepStrictEqual(steps, ["later"])
  })

  it.effect("given a body that resumes a fiber outside, that fiber goes on under its own scheduler", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const outside = yield* Effect.forkChild(
        Effect.as(Effect.andThen(Deferred.await(gate), Effect.yieldNow), "resumed"),
        {
          startImmediately: true
        }
      )
      assert.deepStrictEqual(run(Deferred.succeed(gate, undefined)), Exit.succeed(true))
      assert.isUndefined(outside.pollUnsafe())
      assert.strictEqual(yield* Fiber.join(outside), "resumed")
    })
  )
})
