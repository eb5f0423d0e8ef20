import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
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
})
