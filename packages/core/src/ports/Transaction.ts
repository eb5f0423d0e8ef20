import * as Context from "effect/Context"

/**
 * The handle of an open transaction, which operations that write or lock require. Only {@link Storage.transact} and
 * {@link Storage.join} provide it. It is valid for the store that made it, until the body ends.
 */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** Identifies the store that opened it: the operations of other stores reject it. */
    readonly store: object
  }
>()("@petstore/core/ports/Transaction") {}
