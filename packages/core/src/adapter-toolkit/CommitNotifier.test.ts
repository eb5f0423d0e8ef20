import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { CommitNotifier } from "./CommitNotifier.ts"

/** A version that another connection increases, and how often it was read. */
const givenVersion = () => {
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

/** Subscribes, and waits for the next notification. */
const called = (watch: CommitNotifier) =>
  Effect.gen(function* () {
    const latch = Latch.makeUnsafe()
    yield* watch.watch(() => latch.openUnsafe())
    return Effect.andThen(latch.await, latch.close)
  })

/** All notifiers read at the same pace, so after two reads of one, another has read as well. */
const twoReads = Effect.scoped(
  Effect.gen(function* () {
    const { state, watch } = givenVersion()
    const next = yield* called(watch)
    for (let read = 0; read < 2; read++) {
      state.version++
      yield* next
    }
  })
)

describe("given a notifier for a database that other connections write to", () => {
  it.effect("when there are no subscribers, then the version is not read", () =>
    Effect.gen(function* () {
      const { state, watch } = givenVersion()
      const scope = yield* Scope.make()
      const next = yield* Scope.provide(called(watch), scope)
      state.version++
      yield* next
      yield* Scope.close(scope, Exit.void)
      const { reads } = state
      yield* twoReads
      assert.strictEqual(state.reads, reads)
    })
  )

  it.effect("when the version stays the same, then no subscriber is notified, and when it changes, then all are", () =>
    Effect.gen(function* () {
      const { state, watch } = givenVersion()
      let calls = 0
      yield* watch.watch(() => {
        calls++
      })
      yield* twoReads
      assert.strictEqual(calls, 0)
      const both = [yield* called(watch), yield* called(watch)]
      state.version++
      yield* Effect.all(both)
      assert.strictEqual(calls, 1)
    })
  )

  it.effect("when the version cannot be read for a while, then it notifies of the change later", () =>
    Effect.gen(function* () {
      const { state, watch } = givenVersion()
      const next = yield* called(watch)
      state.broken = true
      state.version++
      yield* twoReads
      state.broken = false
      yield* next
    })
  )

  it.effect("when the version cannot be read at the beginning, then watching fails", () =>
    Effect.gen(function* () {
      const { state, watch } = givenVersion()
      state.broken = true
      const error = yield* Effect.flip(Effect.scoped(watch.watch(() => {})))
      assert.strictEqual(error.code, "internal_error")
    })
  )
})
