import * as Context from "effect/Context"

/**
 * Proof that a transaction is open. Writing and locking need it; only {@link Storage.transact} and {@link Storage.join} provide
 * it, and the handle means something only to the store that made it.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** The store that opened it: another store's operations refuse it. */
    readonly store: object
  }
>()("@petstore/core/ports/Transaction") {}
