import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { TestedStore } from "./TestedStore.ts"

// A store may show events a little after their commit, so a reader of the log reads again when it is notified.

/** Watches, and waits from notification to notification. */
export const watching = Effect.fnUntraced(function* (store: TestedStore) {
  const notified = Latch.makeUnsafe()
  const counted = { calls: 0 }
  yield* store.watch(() => {
    counted.calls++
    notified.openUnsafe()
  })
  /** Checks a condition now and after each notification, until it is true. */
  const until = <A, E>(look: Effect.Effect<A, E>, isSo: (value: A) => boolean): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      while (true) {
        yield* notified.close
        const value = yield* look
        if (isSo(value)) return value
        yield* notified.await
      }
    })
  /** Waits for a notification after this many. */
  const untilCalled = (before: number) =>
    until(
      Effect.sync(() => counted.calls),
      (calls) => calls > before
    )
  return { counted, until, untilCalled }
})

/** The `seq` of the last event, once it is this or behind it. */
export const untilLatest = (store: TestedStore, seq: number) =>
  Effect.scoped(Effect.flatMap(watching(store), ({ until }) => until(store.events.latest, (latest) => latest >= seq)))

/** All events, once there are at least this number. */
export const readLog = (store: TestedStore, count: number) =>
  Effect.andThen(untilLatest(store, count), store.events.scan(0, 10_000))
