import { type StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { ConnectionTransaction } from "../commit/ConnectionTransaction.ts"
import { BridgedTransaction } from "../host/BridgedTransaction.ts"
import type { Session, Statement } from "./Session.ts"

/** Where statements run. */
export interface Place {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError>
}

/** A snapshot that a fiber reads from, and the one of another store around it. */
export interface ReadMoment {
  readonly store: object
  readonly session: Session
  readonly outer: ReadMoment | undefined
}

export class Snapshot extends Context.Service<Snapshot, ReadMoment>()("@petstore/adapters/sqlite/Snapshot") {}

/** Finds out where the statements of a fiber run. */
export class Sessions {
  readonly store: object
  private readonly reader: Session

  constructor(store: object, reader: Session) {
    this.store = store
    this.reader = reader
  }

  /** The open transaction of this store; throws inside the transaction of another. */
  transaction(context: Context.Context<never>): ConnectionTransaction | BridgedTransaction | undefined {
    const transaction = Context.getOrUndefined(context, Transaction)
    if (transaction === undefined) return undefined
    const isOne = transaction instanceof ConnectionTransaction || transaction instanceof BridgedTransaction
    if (isOne && transaction.store === this.store) return transaction
    throw new Error("A storage call was made inside the transaction of another store. Make it before or after that.")
  }

  snapshot(context: Context.Context<never>): Session | undefined {
    let moment = Context.getOrUndefined(context, Snapshot)
    while (moment !== undefined && moment.store !== this.store) moment = moment.outer
    return moment?.session
  }

  /** Where to read: in the transaction, else in the snapshot, else what is committed. */
  toRead(context: Context.Context<never>): Place {
    return this.transaction(context) ?? this.snapshot(context) ?? this.reader
  }

  /** Where to write; throws outside a transaction. */
  toWrite(context: Context.Context<never>): Place {
    const transaction = this.transaction(context)
    if (transaction === undefined) throw new Error("Writing and locking need a transaction. Call it inside transact.")
    return transaction
  }
}
