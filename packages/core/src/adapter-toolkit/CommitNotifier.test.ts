import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
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

  it.effect("when somebody is subscribed, then that keeps no process alive", () =>
    Effect.gen(function* () {
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
      const before = timers()
      yield* called(givenVersion().watch)
      assert.strictEqual(timers(), before)
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

  it.effect("when a subscriber wants events, then the adapter is to collect them until it ends", () =>
    Effect.gen(function* () {
      const { watch } = givenVersion()
      yield* watch.watch(() => {})
      assert.isFalse(watch.wantsEvents)
      const both = [yield* Scope.make(), yield* Scope.make()]
      for (const scope of both) {
        yield* Scope.provide(
          watch.watch(() => {}, { events: true }),
          scope
        )
      }
      for (const scope of both) {
        assert.isTrue(watch.wantsEvents)
        yield* Scope.close(scope, Exit.void)
      }
      assert.isFalse(watch.wantsEvents)
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

/** Turns a version that is there into one that comes later. */
const laterVersions: Readonly<Record<string, (read: () => number) => unknown>> = {
  "a Promise": async (read) => read(),
  "an Effect": (read) => Effect.try({ try: read, catch: (cause) => cause }).pipe(Effect.delay(1))
}

for (const [kind, asLater] of Object.entries(laterVersions)) {
  describe(`given a version that is read as ${kind}`, () => {
    const givenLaterVersion = () => {
      const state = { version: 1, reads: 0, broken: false }
      const watch = new CommitNotifier({
        read: () =>
          asLater(() => {
            state.reads++
            if (state.broken) throw new Error("The connection is lost")
            return state.version
          }),
        errorOf: (cause) => new InternalError({}, { cause })
      })
      return { state, watch }
    }

    it.live("when it changes, then subscribers are notified, and when it stays the same, then none is", () =>
      Effect.gen(function* () {
        const { state, watch } = givenLaterVersion()
        let calls = 0
        yield* watch.watch(() => {
          calls++
        })
        yield* twoReads
        assert.strictEqual(calls, 0)
        assert.isAbove(state.reads, 1)
        const next = yield* called(watch)
        state.version++
        yield* next
        assert.strictEqual(calls, 1)
      })
    )

    it.live("when reads fail for a while, then it notifies of the change later", () =>
      Effect.gen(function* () {
        const { state, watch } = givenLaterVersion()
        const next = yield* called(watch)
        state.broken = true
        state.version++
        yield* twoReads
        state.broken = false
        yield* next
      })
    )

    it.live("when the first read fails, then watching fails, and nothing is read afterwards", () =>
      Effect.gen(function* () {
        const { state, watch } = givenLaterVersion()
        state.broken = true
        const error = yield* Effect.flip(Effect.scoped(watch.watch(() => {})))
        assert.strictEqual(error.code, "internal_error")
        yield* twoReads
        assert.strictEqual(state.reads, 1)
      })
    )

    it.live("when the notifier is closed, then no version is read any more", () =>
      Effect.gen(function* () {
        const { state, watch } = givenLaterVersion()
        yield* watch.watch(() => {})
        yield* watch.close
        const { reads } = state
        yield* twoReads
        assert.strictEqual(state.reads, reads)
      })
    )
  })
}

describe("given reads of the version that take long", () => {
  /** The first read is immediate; each one after it takes until the test ends it, with the version that it gives. */
  const givenSlowReads = Effect.gen(function* () {
    const slow = yield* Deferred.make<number>()
    const state = { reads: 0, interrupted: 0 }
    const watch = new CommitNotifier({
      read: () => {
        if (state.reads++ === 0) return Effect.succeed(1)
        return Effect.onInterrupt(Deferred.await(slow), () => Effect.sync(() => void state.interrupted++))
      },
      errorOf: (cause) => new InternalError({}, { cause })
    })
    return { slow, state, watch }
  })

  it.live("when ticks pass meanwhile, then no second read begins, and its change is reported when it ends", () =>
    Effect.gen(function* () {
      const { slow, state, watch } = yield* givenSlowReads
      const latch = Latch.makeUnsafe()
      yield* watch.watch(() => latch.openUnsafe())
      yield* twoReads
      yield* twoReads
      assert.strictEqual(state.reads, 2)
      yield* Deferred.succeed(slow, 2)
      yield* latch.await
    })
  )

  it.live(
    "when the last subscriber leaves or the notifier is closed, then the read is interrupted, and reports nothing",
    () =>
      Effect.gen(function* () {
        for (const end of ["leave", "close"]) {
          const { slow, state, watch } = yield* givenSlowReads
          const scope = yield* Scope.make()
          let calls = 0
          const subscribe = watch.watch(() => {
            calls++
          })
          yield* Scope.provide(subscribe, scope)
          yield* twoReads
          yield* end === "close" ? watch.close : Scope.close(scope, Exit.void)
          yield* Deferred.succeed(slow, 2)
          yield* twoReads
          assert.deepStrictEqual(
            { interrupted: state.interrupted, reads: state.reads, calls },
            {
              interrupted: 1,
              reads: 2,
              calls: 0
            }
          )
        }
      })
  )
})
