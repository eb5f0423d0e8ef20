import { type CommandName, Storage, type StorageAdapter, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { decorated } from "../decorated.ts"
import { CommandLocks } from "./CommandLocks.ts"
import { LockViolation } from "./LockViolation.ts"
import { type Watch, watchedRows } from "./watchedRows.ts"

type Store = Storage["Service"]

const violationOf = (check: () => void): LockViolation | undefined => {
  try {
    check()
    return undefined
  } catch (thrown) {
    if (thrown instanceof LockViolation) return thrown
    throw thrown
  }
}

const watched = (store: Store, violations: Array<LockViolation>): Store => {
  const transactions = new WeakMap<Transaction["Service"], CommandLocks>()

  const watch: Watch = (statement, before, after) =>
    Effect.withFiber(({ context }) => {
      const handle = Context.getOrUndefined(context, Transaction)
      const locks = handle === undefined ? undefined : transactions.get(handle)
      if (locks === undefined) return statement
      const refused = (check: () => void) => {
        const violation = violationOf(check)
        if (violation !== undefined) violations.push(violation)
        return violation
      }
      const violation = refused(() => before(locks))
      if (violation !== undefined) return Exit.die(violation)
      if (after === undefined) return statement
      return Effect.flatMap(statement, (value) => {
        const later = refused(() => after(locks, value))
        return later === undefined ? Exit.succeed(value) : Exit.die(later)
      })
    })

  /** A body inside another has a handle, and so locks, of its own: it is a command of its own. */
  const watchedBody = <A, E, R>(body: Effect.Effect<A, E, R>, command: CommandName | undefined) =>
    Effect.suspend(() => {
      const locks = new CommandLocks(command)
      return Effect.withFiber<A, E, R>(({ context }) => {
        const handle = Context.getOrUndefined(context, Transaction)
        if (handle !== undefined) transactions.set(handle, locks)
        return body
      })
    })

  const { join } = store
  return {
    ...store,
    ...watchedRows(store, watch),
    // It would pass by the rows.
    run: undefined,
    transact: (body, command) => store.transact(watchedBody(body, command), command),
    ...(join === undefined
      ? {}
      : ({ join: (transaction, body) => join(transaction, watchedBody(body, undefined)) } satisfies Pick<
          Store,
          "join"
        >))
  }
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
 * commands wait for each other. What a command locks does not depend on the store, so check it in memory. Every statement is
 * passed on to `adapter`, one by one: the way in which it runs whole commands is left out.
 *
 * @example
 * ```ts
 * import { createPetstore, memory } from "@petstore/core"
 * import { engineContract, inGroups, runContract, withLockChecks } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore({ storage: withLockChecks(memory()) })),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const cases = inGroups(engineContract({ open }), ["races"])
 * const { ok } = await Effect.runPromise(runContract(cases))
 * ok // => true
 * ```
 */
export const withLockChecks = (adapter: StorageAdapter): StorageAdapter =>
  decorated(adapter, () => ({ ...adapter, layer: checkedStore(adapter) }))
