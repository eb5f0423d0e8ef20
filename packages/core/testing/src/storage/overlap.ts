import type { Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { TestedFixture, TestedStore } from "./TestedStore.ts"

// With many writers a body can see that another transaction runs meanwhile. With one writer it cannot, and the cases hold
// because the transactions run one after the other.

/** Milliseconds after which a body does not expect any more that another transaction goes on. */
export const Patience = Context.Reference("@petstore/testing/Patience", { defaultValue: () => 10_000 })

/** Calls of a body after which, with one writer, nothing else can have happened. */
const enoughCalls = 20

/** Makes a call that every store makes in a transaction of this body alone, on a connection if it has some. */
export const callStore = (store: TestedStore) => store.categories.scan([], 1)

/**
 * Keeps a transaction open, by storage calls, until something has happened elsewhere; a part of a body. Returns whether it
 * happened: with one writer nothing does.
 */
export const keepOpenUntil = (store: TestedStore, { writers = "one" }: TestedFixture, hasHappened: () => boolean) =>
  Effect.gen(function* () {
    const end = performance.now() + (yield* Patience)
    for (let calls = 0; !hasHappened(); calls++) {
      if (writers === "one" ? calls === enoughCalls : performance.now() > end) return false
      yield* callStore(store)
    }
    return true
  })

/** A few more storage calls, for a transaction elsewhere that has begun a call to come to the lock that it waits for. */
export const linger = (store: TestedStore) =>
  Effect.forEach(Array.from({ length: enoughCalls }), () => callStore(store), { discard: true })

/** Something that happens once, for bodies, which may not wait for it, and for fibers outside, which may. */
export const signal = () => {
  const latch = Latch.makeUnsafe()
  let happened = false
  return {
    happened: () => happened,
    set: Effect.sync(() => {
      happened = true
      latch.openUnsafe()
    }),
    await: latch.await
  }
}

/** The pairs of stores between which transactions overlap: two stores, and one with itself. */
export const pairsOf = (
  store: TestedStore,
  another: TestedStore
): ReadonlyArray<readonly [TestedStore, TestedStore]> => [
  [store, another],
  [store, store]
]

/** A part of the body of a transaction. */
export type Part<A, E> = Effect.Effect<A, E, Transaction>

/**
 * Runs two transactions: the second one begins when the first one has done its part, and the first one ends when the second
 * one has asked for its part. Returns how they ended.
 */
export const overlapped = <A, E, B, F>(
  fixture: TestedFixture,
  first: { readonly store: TestedStore; readonly part: Part<A, E>; readonly end: Effect.Effect<void, string> },
  second: { readonly store: TestedStore; readonly part: Part<B, F> }
) =>
  Effect.gen(function* () {
    const [began, asked] = [signal(), signal()]
    const fiber = yield* Effect.forkChild(
      Effect.exit(
        first.store.transact(
          Effect.gen(function* () {
            // What makes a store run a body again comes first.
            yield* callStore(first.store)
            yield* first.part
            yield* began.set
            yield* keepOpenUntil(first.store, fixture, asked.happened)
            yield* linger(first.store)
            yield* first.end
          })
        )
      )
    )
    yield* began.await
    const exit = yield* Effect.exit(second.store.transact(Effect.andThen(asked.set, second.part)))
    return [yield* Fiber.join(fiber), exit] as const
  })
