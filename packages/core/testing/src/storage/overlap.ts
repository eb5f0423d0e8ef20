import { categoriesByName } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { inTurn } from "./programs.ts"
import type { Part, TestedFixture, TestedStore, TestedTransaction } from "./TestedStore.ts"

// With many writers a command can see that another transaction runs meanwhile. With one writer it cannot, and the cases hold
// because the transactions run one after the other.

/** Milliseconds after which a command does not expect any more that another transaction goes on. */
const patienceMillis = 10_000

/** Calls of a command after which, with one writer, nothing else can have happened. */
const enoughCalls = 20

/** Makes a call that every store makes in a transaction of this command alone, on a connection if it has some. */
export const callStore = (tx: TestedTransaction) => tx.select(categoriesByName, "", 1)

/**
 * Keeps a transaction open, by calls, until something has happened elsewhere; a part of a command. Returns whether it happened: with
 * one writer nothing does.
 */
export function* keepOpenUntil(
  tx: TestedTransaction,
  { writers = "one" }: TestedFixture,
  hasHappened: () => boolean
): Part<boolean> {
  const end = performance.now() + patienceMillis
  for (let calls = 0; !hasHappened(); calls++) {
    if (writers === "one" ? calls === enoughCalls : performance.now() > end) return false
    yield* callStore(tx)
  }
  return true
}

/** A few more calls, for a transaction elsewhere that has begun a call to come to the lock that it waits for. */
export function* linger(tx: TestedTransaction): Part<void> {
  for (let calls = 0; calls < enoughCalls; calls++) yield* callStore(tx)
}

/** Something that happens once, for commands, which may not wait for it, and for fibers outside, which may. */
export const signal = () => {
  const latch = Latch.makeUnsafe()
  let happened = false
  return {
    happened: () => happened,
    set: (): void => {
      happened = true
      latch.openUnsafe()
    },
    await: latch.await
  }
}

/**
 * Runs a command that does its part and then stays open. Returns an effect that lets it do the rest and end, and tells whether it
 * stayed open until then.
 */
export const heldOpen = Effect.fnUntraced(function* (
  fixture: TestedFixture,
  store: TestedStore,
  part: (tx: TestedTransaction) => Part<unknown>,
  rest: (tx: TestedTransaction) => Part<unknown> = () => inTurn()
) {
  const [holds, released] = [signal(), signal()]
  const fiber = yield* Effect.forkChild(
    store.run(function* (tx) {
      yield* callStore(tx)
      yield* part(tx)
      holds.set()
      const stayedOpen = yield* keepOpenUntil(tx, fixture, released.happened)
      yield* rest(tx)
      return stayedOpen
    })
  )
  yield* holds.await
  return Effect.suspend(() => {
    released.set()
    return Fiber.join(fiber)
  })
})

/** The pairs of stores between which transactions overlap: two stores, and one with itself. */
export const pairsOf = (
  store: TestedStore,
  another: TestedStore
): ReadonlyArray<readonly [TestedStore, TestedStore]> => [
  [store, another],
  [store, store]
]

/** A command on a store. */
interface On<A, E> {
  readonly store: TestedStore
  readonly part: (tx: TestedTransaction) => Part<A, E>
}

/**
 * Runs two commands: the second one begins when the first one has done its part, and the first one ends, with `end`, when the second
 * one has asked for its part. Returns how they ended.
 */
export const overlapped = <A, E, B, F>(
  fixture: TestedFixture,
  first: On<A, E> & { readonly end: () => Part<void, string> },
  second: On<B, F>
) =>
  Effect.gen(function* () {
    const [began, asked] = [signal(), signal()]
    const fiber = yield* Effect.forkChild(
      Effect.exit(
        first.store.run(function* (tx): Part<void, E | string> {
          // What makes a store run a command again comes first.
          yield* callStore(tx)
          yield* first.part(tx)
          began.set()
          yield* keepOpenUntil(tx, fixture, asked.happened)
          yield* linger(tx)
          yield* first.end()
        })
      )
    )
    yield* began.await
    const exit = yield* Effect.exit(
      second.store.run(function* (tx) {
        asked.set()
        return yield* second.part(tx)
      })
    )
    return [yield* Fiber.join(fiber), exit] as const
  })
