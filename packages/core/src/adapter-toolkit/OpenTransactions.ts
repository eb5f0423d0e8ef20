import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { Transaction } from "../ports/Transaction.ts"
import { runBody } from "./runBody.ts"
import { runBodyAsync } from "./runBodyAsync.ts"
import type { StorageCalls } from "./StorageCalls.ts"

/** The handle of one body. It has its transaction until the body ends. */
class BodyHandle<T> {
  readonly store: object
  transaction: T | undefined

  constructor(store: object, transaction: T) {
    this.store = store
    this.transaction = transaction
  }
}

/**
 * The transactions that are open on one store: the part of the transaction protocol that is the same for every engine.
 *
 * 1. The store begins a transaction in its engine, as a `T`. Synchronous engines extend `SynchronousTransaction`.
 * 2. Each body runs with a handle of its own in its context, the service `Transaction`. {@link OpenTransactions.runBody}
 *    does both for a synchronous engine, {@link OpenTransactions.runBodyAsync} for an asynchronous one; others
 *    call {@link OpenTransactions.begin} and {@link OpenTransactions.end}.
 * 3. An operation finds its transaction by the context of its fiber: {@link OpenTransactions.find} for one that reads,
 *    {@link OpenTransactions.require} for one that locks or writes.
 * 4. A body inside a body is a nested part: it runs in the same `T`, with a handle of its own, and can fail alone.
 * 5. When a body ends, so does its handle: work that the body left running is rejected from then on. The store then keeps
 *    or rolls back the part, and commits or rolls back the transaction after the outermost one.
 */
export class OpenTransactions<T> {
  /** Identifies the store: the operations of another store reject its handles. */
  readonly store: object = {}
  /** The transaction of a context, or undefined if there is none. Throws if the body has ended or another store began it. */
  find(context: Context.Context<never>): T | undefined {
    const handle = Context.getOrUndefined(context, Transaction)
    if (handle === undefined) return undefined
    if (!this.isOwn(handle)) throw new Error(otherStore)
    if (handle.transaction === undefined) throw afterEnd()
    return handle.transaction
  }

  /** The transaction of a context. Also throws if there is none. */
  require(context: Context.Context<never>): T {
    const transaction = this.find(context)
    if (transaction === undefined) throw new Error(noTransaction)
    return transaction
  }

  /** Makes the handle of one body. */
  begin(transaction: T): Transaction["Service"] {
    return new BodyHandle(this.store, transaction)
  }

  /** Ends the handle of a body: operations reject it from now on. */
  end(handle: Transaction["Service"]): void {
    if (this.isOwn(handle)) handle.transaction = undefined
  }

  /** Runs a body in a transaction, from the beginning to the end of its handle, within this turn of the event loop. */
  runBody<A, E, R>(
    transaction: T,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Exit.Exit<A, E> {
    const handle = this.begin(transaction)
    try {
      // Cheaper than to provide the service, which makes a small transaction a quarter slower. The compiler cannot see the sum.
      return runBody(Context.add(context, Transaction, handle) as Context.Context<R>, body)
    } finally {
      this.end(handle)
    }
  }

  /** Runs a body in a transaction whose operations are made by `calls`, from the beginning to the end of its handle. */
  runBodyAsync<A, E, R>(
    transaction: T,
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>,
    calls: StorageCalls
  ): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const handle = this.begin(transaction)
      // The compiler cannot see the sum.
      const services = Context.add(context, Transaction, handle) as Context.Context<R>
      return Effect.ensuring(
        runBodyAsync(services, body, calls),
        Effect.sync(() => this.end(handle))
      )
    })
  }

  private isOwn(handle: Transaction["Service"]): handle is BodyHandle<T> {
    return handle.store === this.store
  }
}

/** The defect of a storage call that is made after the end of its transaction or snapshot. */
export const afterEnd = (): Error =>
  new Error("A storage call came after the end of its transaction or snapshot. Make it inside the body.")

const otherStore =
  "A storage call was made inside the transaction of another store. Make it before or after that transaction."

const noTransaction = "Writing and locking need a transaction. Make the call inside transact."
