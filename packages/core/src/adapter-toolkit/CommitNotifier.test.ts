import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { CommitNotifier } from "./CommitNotifier.ts"

/** A version that another connection raises, and how often it was read. */
const elsewhere = () => {
  const state = { version: 1, reads: 0, broken: false }
  const watch = new CommitNotifier({
    read: () => {
      state.reads++
      if (state.broken) throw new Error("The file is locked")
      return state.version
    },
    errorOf: (cause) => new InternalError({}, { cause })
  })
  return { state, watch }
}

/** Watches, and waits for the next call. */
const called = (watch: CommitNotifier) =>
  Effect.gen(function* () {
    const latch = Latch.makeUnsafe()
    yield* watch.watch(() => latch.openUnsafe())
    return Effect.andThen(latch.await, latch.close)
  })

/** Looks are made at the same pace everywhere, so those of one watch tell that another would have looked too. */
const twoLooks = Effect.scoped(
  Effect.gen(function* () {
    const { state, watch } = elsewhere()
    const next = yield* called(watch)
    for (let look = 0; look < 2; look++) {
      state.version++
      yield* next
    }
  })
)

describe("given a watch on a database that others write to", () => {
  it.effect("when nobody watches, then nobody looks", () =>
    Effect.gen(function* () {
      const { state, watch } = elsewhere()
      const scope = yield* Scope.make()
      const next = yield* Scope.provide(called(watch), scope)
      state.version++
      yield* next
      yield* Scope.close(scope, Exit.void)
      const { reads } = state
      yield* twoLooks
      assert.strictEqual(state.reads, reads)
    })
  )

  it.effect("when the version stays, then nobody is called, and when it changes, then everyone is", () =>
    Effect.gen(function* () {
      const { state, watch } = elsewhere()
      let calls = 0
      yield* watch.watch(() => {
        calls++
      })
      yield* twoLooks
      assert.strictEqual(calls, 0)
      const both = [yield* called(watch), yield* called(watch)]
      state.version++
      yield* Effect.all(both)
      assert.strictEqual(calls, 1)
    })
  )

  it.effect("when it cannot look for a while, then it stays quiet and finds the change later", () =>
    Effect.gen(function* () {
      const { state, watch } = elsewhere()
      const next = yield* called(watch)
      state.broken = true
      state.version++
      yield* twoLooks
      state.broken = false
      yield* next
    })
  )

  it.effect("when it cannot look at the beginning, then watching fails", () =>
    Effect.gen(function* () {
      const { state, watch } = elsewhere()
      state.broken = true
      const error = yield* Effect.flip(Effect.scoped(watch.watch(() => {})))
      assert.strictEqual(error.code, "internal_error")
    })
  )
})
