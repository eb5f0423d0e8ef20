import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseUnreachable, SubcommandFailed } from "./errors.ts"
import { waitingForServer } from "./waitingForServer.ts"

class Database extends Context.Service<Database, string>()("test/Database") {}

const unreachable = new DatabaseUnreachable({ message: "connect ECONNREFUSED" })

/** A database that can be opened after some attempts that fail, and what happened to it. */
const databaseAfter = (failures: number, failure: DatabaseUnreachable | SubcommandFailed = unreachable) => {
  const happened: Array<string> = []
  const layer = Layer.effect(
    Database,
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => happened.push("connect")),
        () => Effect.sync(() => happened.push("close"))
      )
      if (happened.filter((one) => one === "connect").length <= failures) return yield* Effect.fail(failure)
      happened.push("open")
      return "open"
    })
  )
  return { happened, layer }
}

/** Opens a database, and closes it after `seconds`. */
const opening = (layer: ReturnType<typeof databaseAfter>["layer"], patience: number, seconds: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(
      Effect.result(Effect.provide(Database, waitingForServer(layer, Duration.seconds(patience))))
    )
    yield* TestClock.adjust(Duration.seconds(seconds))
    return fiber
  })

describe("opening a database whose server starts later", () => {
  it.effect("given attempts that fail at first, then it is opened, and what each attempt has opened is closed", () =>
    Effect.gen(function* () {
      const { happened, layer } = databaseAfter(2)
      const result = yield* Fiber.join(yield* opening(layer, 60, 2))
      assert.deepInclude(result, { _tag: "Success", success: "open" })
      assert.deepStrictEqual(happened, ["connect", "close", "connect", "close", "connect", "open", "close"])
    })
  )

  it.effect("given attempts that all fail, then it fails as the last one when the time is over", () =>
    Effect.gen(function* () {
      const { happened, layer } = databaseAfter(100)
      const fiber = yield* opening(layer, 10, 8)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Failure", failure: unreachable })
      // At 0, 0.5, 1.5, 3.5 and 8.5 seconds.
      assert.lengthOf(happened, 10)
    })
  )

  it.effect("given that the clock of the system is set by a year meanwhile, then the time is not over", () =>
    Effect.gen(function* () {
      const { layer } = databaseAfter(2)
      const clock = yield* Clock.Clock
      let years = 0
      const currentTimeMillis = Effect.map(clock.currentTimeMillis, (millis) => millis + 31_536_000_000 * years++)
      const fiber = yield* Effect.provideService(opening(layer, 60, 2), Clock.Clock, { ...clock, currentTimeMillis })
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Success", success: "open" })
    })
  )

  it.effect("given a failure that no later attempt can change, then there is one attempt", () =>
    Effect.gen(function* () {
      const failure = new SubcommandFailed({ message: "password authentication failed" })
      const { happened, layer } = databaseAfter(1, failure)
      const result = yield* Fiber.join(yield* opening(layer, 60, 0))
      assert.deepInclude(result, { _tag: "Failure", failure })
      assert.deepStrictEqual(happened, ["connect", "close"])
    })
  )

  it.effect("given no time to wait, then there is one attempt", () =>
    Effect.gen(function* () {
      const { happened, layer } = databaseAfter(1)
      yield* Fiber.join(yield* opening(layer, 0, 0))
      assert.deepStrictEqual(happened, ["connect", "close"])
    })
  )
})
