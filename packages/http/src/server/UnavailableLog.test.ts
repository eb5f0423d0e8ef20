import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { UnavailableLog } from "./UnavailableLog.ts"

describe("given requests that fail because the store is away", () => {
  it.effect(
    "when there are many, then the log has the first, counts of the others, and one entry when they have ended",
    () =>
      Effect.gen(function* () {
        const entries: Array<string> = []
        const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
          entries.push(`${logLevel} ${message}${cause.reasons.length > 0 ? " (with its cause)" : ""}`)
        })
        const log = new UnavailableLog(yield* Clock.clockWith(Effect.succeed))
        const fail = (code: "storage_busy" | "commit_unknown", times: number) =>
          Effect.gen(function* () {
            for (let n = 0; n < times; n++) yield* log.failed("placeOrder", code, Cause.fail("gone")) ?? Effect.void
          })
        const succeed = Effect.suspend(() => Effect.all(log.succeeded(), { discard: true }))
        yield* Effect.gen(function* () {
          yield* fail("storage_busy", 500)
          yield* TestClock.adjust("9 seconds")
          yield* fail("storage_busy", 500)
          yield* fail("commit_unknown", 1)
          yield* succeed
          yield* TestClock.adjust("3 seconds")
          yield* fail("storage_busy", 2)
          yield* TestClock.adjust("9 seconds")
          yield* succeed
          assert.isTrue(log.isFailing)
          yield* TestClock.adjust("1 second")
          yield* succeed
          yield* succeed
          assert.isFalse(log.isFailing)
          yield* fail("storage_busy", 1)
        }).pipe(Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(entries, [
          "Warn placeOrder failed with storage_busy (with its cause)",
          "Warn placeOrder failed with commit_unknown (with its cause)",
          "Warn 1000 more requests failed with storage_busy in 12 seconds",
          "Info No request has failed with storage_busy for 10 seconds; 1002 had",
          "Warn placeOrder failed with storage_busy (with its cause)"
        ])
      })
  )
})
