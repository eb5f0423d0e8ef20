import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import { StorageUnavailable } from "../domain/errors/ServiceErrors.ts"
import { sharedDatabase } from "./sharedDatabase.ts"

describe("sharedDatabase", () => {
  it.effect("given several stores of one database, it is opened once, and closed with the last store", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const databaseOf = sharedDatabase({
        open: (name) => {
          steps.push(`open ${name}`)
          return { name }
        },
        close: async ({ name }) => {
          steps.push(`close ${name}`)
        }
      })
      const [one, two] = [yield* Scope.make(), yield* Scope.make()]
      const first = yield* Scope.provide(databaseOf("a"), one)
      assert.strictEqual(yield* Scope.provide(databaseOf("a"), two), first)
      assert.notStrictEqual(yield* Effect.scoped(databaseOf("b")), first)
      yield* Scope.close(one, Exit.void)
      assert.deepStrictEqual(steps, ["open a", "open b", "close b"])
      yield* Scope.close(two, Exit.void)
      yield* Effect.scoped(databaseOf("a"))
      assert.deepStrictEqual(steps.slice(3), ["close a", "open a", "close a"])
    })
  )

  it.effect("given a database that could not be opened, it fails with the reason, and tries again the next time", () =>
    Effect.gen(function* () {
      let there = false
      const databaseOf = sharedDatabase({
        open: (name) => {
          if (!there) throw new Error("No such folder")
          return name
        },
        close: async () => {}
      })
      const error = yield* Effect.flip(Effect.scoped(databaseOf("a")))
      assert.strictEqual(error.message, "Cannot open a: No such folder")
      there = true
      assert.strictEqual(yield* Effect.scoped(databaseOf("a")), "a")
    })
  )

  it.effect("given an Effect that opens it, all who open it meanwhile share it, and the last one closes it", () =>
    Effect.gen(function* () {
      const connected = yield* Latch.make()
      const steps: Array<string> = []
      const databaseOf = sharedDatabase({
        open: (name) =>
          Effect.gen(function* () {
            steps.push(`open ${name}`)
            yield* connected.await
            return { name }
          }),
        close: async ({ name }) => {
          steps.push(`close ${name}`)
        }
      })
      const scope = yield* Scope.make()
      const open = Scope.provide(databaseOf("a"), scope)
      const fibers = yield* Effect.all([open, open].map((one) => Effect.forkChild(one, { startImmediately: true })))
      yield* connected.open
      const [first, second] = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(first, second)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(steps, ["open a", "close a"])
    })
  )

  it.effect("given an Effect that fails, it fails with that error, and tries again the next time", () =>
    Effect.gen(function* () {
      let tries = 0
      const databaseOf = sharedDatabase({
        open: (name) => (tries++ === 0 ? Effect.fail(new StorageUnavailable({})) : Effect.succeed(name)),
        close: async () => {}
      })
      const error = yield* Effect.flip(Effect.scoped(databaseOf("a")))
      assert.strictEqual(error.code, "storage_unavailable")
      assert.strictEqual(yield* Effect.scoped(databaseOf("a")), "a")
    })
  )

  it.effect("given a caller that stops waiting for it to open, opening is interrupted, and nothing is closed", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const databaseOf = sharedDatabase({
        open: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++)),
        close: () => Promise.reject(new Error("nothing to close"))
      })
      const fiber = yield* Effect.forkChild(Effect.scoped(databaseOf("a")), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(interrupted, 1)
    })
  )
})
