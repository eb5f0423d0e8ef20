import { type StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { type Statement, type StatementRunner, usedAfterEnd } from "../statements/Statement.ts"
import type { BridgedCall } from "./BridgedCall.ts"

/** The transaction of a call through a library of the host, as one body sees it. Statements may take time. */
export class BridgedTransaction implements StatementRunner {
  readonly store: object
  private readonly call: BridgedCall
  /** Statements and parts take turns: what a part has noted is forgotten from its beginning on if it fails. */
  private readonly turn = Semaphore.makeUnsafe(1)
  private ended = false

  constructor(call: BridgedCall, store: object) {
    this.call = call
    this.store = store
  }

  execute<A>({ defer }: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError> {
    return this.inTurn(() => defer(this.call, values))
  }

  /** Runs a body as a part of this transaction that fails alone, also where it is interrupted. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.inTurn(() => {
      const part = new BridgedTransaction(this.call, this.store)
      // What the body needs beside the transaction is in the context; the compiler cannot put the two together again.
      const services = Context.add(context, Transaction, part) as Context.Context<R>
      return this.call.part(Effect.ensuring(Effect.provideContext(body, services), part.end))
    })
  }

  /** What still runs in it ends first; what waits is refused. */
  readonly end: Effect.Effect<void> = Effect.suspend(() =>
    this.turn.withPermits(1)(
      Effect.sync(() => {
        this.ended = true
      })
    )
  )

  private inTurn<A, E>(work: () => Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> {
    return this.turn.withPermits(1)(
      Effect.suspend((): Effect.Effect<A, E | StorageError> => (this.ended ? usedAfterEnd() : work()))
    )
  }
}
