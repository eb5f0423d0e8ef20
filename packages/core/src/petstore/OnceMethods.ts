import type { HostTransaction } from "../ports/HostTransaction.ts"
import type { CallOptions } from "../programs/Options.ts"

/** What a body that runs once may have in addition to its key. */
export interface OnceOptions {
  /** What repetitions must have in common, as JSON, such as what is in the cart: another input fails. Default: the key suffices. */
  readonly input?: unknown
}

/** The options of `once` in the transaction of a petstore. */
export interface OnceCallOptions extends OnceOptions, CallOptions {}

/** The options of {@link OnceMethods.once}. */
export interface EmbeddedOnceOptions extends OnceCallOptions {
  /** The transaction of the body: of your app, as each method takes it, or the argument of a body of `petstore.transaction`. */
  readonly transaction: HostTransaction
}

/** What runs once in a transaction of your app. */
export interface OnceMethods {
  /**
   * Runs a body in a transaction of your app, unless a body with this key has been committed within 7 days: then it returns the result
   * of that one. The result is stored with what the body does, so that your rows, the calls of the petstore and the result are
   * committed or rolled back together. It must be JSON, and is stored in clear text. Pass the transaction to each call in the
   * body. If the body rejects, nothing is stored for its key: roll back. Fails with `idempotency_key_reused` if the key was used with
   * another `input` or for something else, and with `idempotency_in_progress` if another body runs with it.
   *
   * @beta
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const checkout = () =>
   *   petstore.transaction((transaction) =>
   *     petstore.once("cart-17", async () => (await petstore.orders.place({}, { transaction })).id, { transaction })
   *   )
   * (await checkout()) === (await checkout()) // => true
   * await petstore.close()
   * ```
   */
  once<A>(key: string, body: () => A | Promise<A>, options: EmbeddedOnceOptions): Promise<A>
}

/** What runs once in a transaction of the petstore. */
export interface TransactionOnceMethods {
  /** Runs a body, unless one with this key has been committed within 7 days: then it returns the result of that one. */
  once<A>(key: string, body: () => A | Promise<A>, options?: OnceCallOptions): Promise<A>
}
