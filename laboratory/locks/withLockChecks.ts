import { type RunCommand, Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decorated } from "../../packages/core/testing/src/decorated.ts"
import { CommandLocks, LockViolation } from "./CommandLocks.ts"
import { watchedTransaction } from "./watchedTransaction.ts"

type Store = Storage["Service"]

/** Passes what a command yields on, and notes its violations. */
function* noting<Y, A>(command: Generator<Y, A, unknown>, violations: Array<LockViolation>): Generator<Y, A, unknown> {
  try {
    return yield* command
  } catch (thrown) {
    if (thrown instanceof LockViolation) violations.push(thrown)
    throw thrown
  }
}

const watched = (store: Store, violations: Array<LockViolation>): Store => {
  const run: RunCommand = (begin, command) =>
    store.run((tx, context) => {
      const locks = new CommandLocks(command)
      return noting(begin(watchedTransaction(tx, locks), context), violations)
    }, command)
  return { ...store, run }
}

const checkedStore = ({ layer }: StorageAdapter): StorageAdapter["layer"] =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const violations: Array<LockViolation> = []
      yield* Effect.addFinalizer(() => {
        const [first] = violations
        return first === undefined ? Effect.void : Effect.andThen(Effect.logError(first.message), Effect.die(first))
      })
      return watched(Context.get(yield* Layer.build(layer), Storage), violations)
    })
  )

/**
 * Wraps a storage adapter to check the locks of every command. One fails with a {@link LockViolation} when it decides on a row that
 * it has only found, or locks out of order. Closing the storage fails with the first violation again, in case a caller has
 * swallowed it. {@link explore} finds all other faults of locks.
 *
 * On one writer a missing lock has no effect that a test could see; with many writers it sells a pet twice, or lets two
 * commands wait for each other. What a command locks does not depend on the store, so check it in memory.
 */
export const withLockChecks = (adapter: StorageAdapter): StorageAdapter =>
  decorated(adapter, () => ({ ...adapter, layer: checkedStore(adapter) }))
