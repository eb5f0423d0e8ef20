import type { AnyMetadata } from "../domain/records/ResourceRecord.ts"
import type { HostTransaction } from "../ports/HostTransaction.ts"
import type { CallOptions } from "../programs/Options.ts"
import type { EventRetention } from "../runtime/retention/Trimming.ts"
import type { PetstoreStats } from "../runtime/stats/PetstoreStats.ts"
import type { TransactionOptions } from "../runtime/transactions/Transactions.ts"
import type { VerificationReport, VerifyOptions } from "../runtime/verification/Verification.ts"
import type { ConsumerMethods } from "./ConsumerMethods.ts"
import type { OnceMethods, TransactionOnceMethods } from "./OnceMethods.ts"
import type { EventMethods, PetstoreApi } from "./PetstoreApi.ts"
import type { PetstoreUser } from "./PetstoreUser.ts"

/** The options of every method of an in-process petstore. */
export interface EmbeddedCallOptions extends CallOptions {
  /**
   * Runs the call inside a transaction that your app has open on its own connection to the same database, so that your rows
   * and those of the call are committed or rolled back together; its result is provisional until then. The storage adapter
   * defines what it accepts, such as a `DatabaseSync` or a bridge; every petstore accepts the argument of a body of its own
   * {@link Petstore.transaction}. Await each call before the transaction ends.
   */
  readonly transaction?: HostTransaction | undefined
}

/** The options of {@link Petstore.transaction}. */
export interface PetstoreTransactionOptions extends TransactionOptions, CallOptions {}

/** The petstore in a transaction: its calls see what the transaction has written, and nobody else does before its end. */
export interface PetstoreTransaction<Metadata extends AnyMetadata = AnyMetadata>
  extends PetstoreApi<CallOptions, Metadata>,
    TransactionOnceMethods {
  /** The same transaction as a user of your app. */
  as(user: PetstoreUser): PetstoreApi<CallOptions, Metadata> & TransactionOnceMethods
  /** Runs a part of the transaction that may fail by itself. Meanwhile, make calls on the argument of the part. */
  transaction<A>(body: (part: PetstoreTransaction<Metadata>) => Promise<A>): Promise<A>
}

/** An in-process petstore: the methods of {@link PetstoreApi}, and those that only the owner of the storage has. */
export interface Petstore<Metadata extends AnyMetadata = AnyMetadata>
  extends PetstoreApi<EmbeddedCallOptions, Metadata>,
    OnceMethods {
  readonly events: EventMethods & ConsumerMethods
  /**
   * The petstore as a user of your app, who sees only their own orders, and the events of these.
   * Everything else works as it does for you, with the user as the actor in the stock ledger.
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const ada = petstore.as({ user: "ada" })
   * await ada.orders.place({ quantity: 2 })
   * const { items } = await petstore.as({ user: "bob" }).orders.list()
   * items // => []
   * await petstore.close()
   * ```
   */
  as(user: PetstoreUser): PetstoreApi<EmbeddedCallOptions, Metadata> & OnceMethods
  /**
   * Runs the calls of its argument in one transaction: all of them take effect, or none if the body rejects. The body may wait for
   * anything: the transaction holds no lock before its end. Rejects with `storage_busy` if something that it has read was changed
   * meanwhile, and with `request_timeout` if it takes longer than its timeout. Await every call: a call that has not ended when the body
   * ends rejects the transaction with a TypeError, as does a later call. In the body, every method of the petstore itself rejects with a
   * TypeError if the platform has `AsyncLocalStorage`.
   *
   * @beta
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const rex = await petstore.transaction(async (tx) => {
   *   const { id } = await tx.categories.create({ name: "Dogs" })
   *   return tx.pets.create({ name: "Rex", categoryId: id })
   * })
   * (await petstore.pets.get(rex.id)).name // => "Rex"
   * await petstore.close()
   * ```
   */
  transaction<A>(
    body: (tx: PetstoreTransaction<Metadata>) => Promise<A>,
    options?: PetstoreTransactionOptions
  ): Promise<A>
  /** Checks every invariant on the stored data. */
  verify(options?: CallOptions & VerifyOptions): Promise<VerificationReport>
  /**
   * Encrypts the URLs and secrets of all webhooks with the first `secretKey`: those in clear text, and those that another of the keys
   * has encrypted, which is then no longer needed. Returns how many webhooks it changed. Fails with `secret_unreadable`.
   */
  encryptSecrets(options?: CallOptions): Promise<number>
  /** Reads the statistics: what was counted since this petstore was opened, and the current queues of its store. */
  stats(options?: CallOptions): Promise<PetstoreStats>
  /** Shows which events the log has, when the last ones were removed, and which consumer keeps others. */
  retention(options?: CallOptions): Promise<EventRetention>
  /**
   * Copies a committed state to a new file, while writes continue. Rejects if the storage has no files. A copy that has
   * begun is finished even if the signal is aborted.
   */
  backup(file: string, options?: CallOptions): Promise<void>
  /** Finishes the calls that have begun and closes the storage; later calls fail with `shutting_down`. */
  close(): Promise<void>
  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
