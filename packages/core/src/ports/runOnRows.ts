import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Failed, type FailureOf, type Yielded } from "../engine/Command.ts"
import { pending, type Source, Transaction } from "../engine/Transaction.ts"
import type { Rows } from "./Rows.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction as OpenTransaction } from "./Transaction.ts"

/** Makes the calls of a transaction, and keeps the one that its command waits for. */
class CallSource implements Source {
  private readonly rows: Rows
  readonly storesNew = true
  call: Effect.Effect<unknown, StorageError, OpenTransaction> = Exit.void

  constructor(rows: Rows) {
    this.rows = rows
  }

  readonly load: Source["load"] = (reading, table, key) =>
    this.take(reading === "find" ? this.rows.find(table, key) : this.rows.lock(table, key, reading === "lockShared"))
  readonly findAll: Source["findAll"] = (table, keys) => this.take(this.rows.findAll(table, keys))
  readonly select: Source["select"] = (query, argument, limit) => this.take(this.rows.select(query, argument, limit))
  readonly count: Source["count"] = (query, argument, limit) => this.take(this.rows.count(query, argument, limit))
  readonly claim: Source["claim"] = (query, argument, limit) => this.take(this.rows.claim(query, argument, limit))
  readonly scan: Source["scan"] = (after, limit) => this.take(this.rows.events.scan(after, limit))
  readonly last: Source["last"] = () => this.take(this.rows.events.latest)
  readonly insert: Source["insert"] = (table, rowsOf) => this.take(this.rows.insert(table, rowsOf))

  private take<A>(call: Effect.Effect<A, StorageError, OpenTransaction>): A | typeof pending {
    if (Exit.isExit(call) && Exit.isSuccess(call)) return call.value as A
    this.call = call
    return pending
  }
}

/** Runs a command whose source makes one call at a time: `callOf` is that for which the command waits, `end` what follows its result. */
export const runByCalls = <Y extends Yielded, A, E, R>(
  transaction: Transaction,
  command: Generator<Y, A, unknown>,
  callOf: () => Effect.Effect<unknown, E, R>,
  end: (value: A) => Effect.Effect<A, E, R>
): Effect.Effect<A, FailureOf<Y> | E, R> => {
  const advance = (answer?: unknown): Effect.Effect<A, FailureOf<Y> | E, R> => {
    const step = command.next(answer)
    if (step.done === true) return end(step.value)
    if (step.value instanceof Failed) return Exit.fail(step.value.error as FailureOf<Y>)
    return Effect.flatMap(callOf(), (found) => advance(transaction.answer(found)))
  }
  return advance()
}

/** Runs a command inside an open transaction, on the rows that the store has there, and writes what it has saved at its end. */
export const runOnRows = <Y extends Yielded, A>(
  rows: Rows,
  begin: (transaction: Transaction) => Generator<Y, A, unknown>
): Effect.Effect<A, FailureOf<Y> | StorageError, OpenTransaction> =>
  Effect.suspend(() => {
    const source = new CallSource(rows)
    const transaction = new Transaction(source)
    return runByCalls(
      transaction,
      begin(transaction),
      () => source.call,
      (value): Effect.Effect<A, StorageError, OpenTransaction> => {
        // Not even an empty write: stores would take it for a change, and notify watches of it.
        const { writes } = transaction
        return writes.length === 0 ? Exit.succeed(value) : Effect.as(rows.write(writes), value)
      }
    )
  })
