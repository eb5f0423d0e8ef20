import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Failed, type FailureOf, type Yielded } from "./Command.ts"
import type { Log, Query, Table } from "./Table.ts"
import { pending, type Reading, type Source, Transaction, type Write } from "./Transaction.ts"

/** The rows of a store inside a transaction. A call that has its result at once returns its exit. */
export interface StoredRows<E, R> {
  load<Row, K extends number | string>(
    reading: Reading,
    table: Table<Row, K>,
    key: K
  ): Effect.Effect<Row | undefined, E, R>
  select<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Effect.Effect<ReadonlyArray<Row>, E, R>
  count<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Effect.Effect<number, E, R>
  claim<Row, Argument, K extends number | string>(
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number
  ): Effect.Effect<ReadonlyArray<Row>, E, R>
  scan<Row>(log: Log<Row>, after: number, limit: number): Effect.Effect<ReadonlyArray<Row>, E, R>
  last(log: Log<unknown>): Effect.Effect<number, E, R>
  insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly write: (write: Write) => Effect.Effect<unknown, E, R>
}

/** Makes the calls of a transaction, and keeps the one that its command waits for. */
class CallSource<E, R> implements Source {
  private readonly rows: StoredRows<E, R>
  readonly storesNew = true
  call: Effect.Effect<unknown, E, R> = Exit.void

  constructor(rows: StoredRows<E, R>) {
    this.rows = rows
  }

  readonly load: Source["load"] = (reading, table, key) => this.take(this.rows.load(reading, table, key))
  readonly select: Source["select"] = (query, argument, limit) => this.take(this.rows.select(query, argument, limit))
  readonly count: Source["count"] = (query, argument, limit) => this.take(this.rows.count(query, argument, limit))
  readonly claim: Source["claim"] = (query, argument, limit) => this.take(this.rows.claim(query, argument, limit))
  readonly scan: Source["scan"] = (log, after, limit) => this.take(this.rows.scan(log, after, limit))
  readonly last: Source["last"] = (log) => this.take(this.rows.last(log))
  readonly insert: Source["insert"] = (table, rowsOf) => this.take(this.rows.insert(table, rowsOf))

  private take<A>(call: Effect.Effect<A, E, R>): A | typeof pending {
    if (Exit.isExit(call) && Exit.isSuccess(call)) return call.value as A
    this.call = call
    return pending
  }
}

/** Makes a call for each item, one after another, within one step as long as they have their results at once. */
export const eachInTurn = <Item, E, R>(
  items: ReadonlyArray<Item>,
  call: (item: Item) => Effect.Effect<unknown, E, R>,
  start = 0
): Effect.Effect<void, E, R> => {
  for (let index = start; index < items.length; index++) {
    const done = call(items[index] as Item)
    if (!Exit.isExit(done)) return Effect.flatMap(done, () => eachInTurn(items, call, index + 1))
    if (Exit.isFailure(done)) return done
  }
  return Exit.void
}

/** Runs a command inside an open transaction, on the rows that the store has there, and writes what it has saved at its end. */
export const runOnRows = <Y extends Yielded, A, F, R>(
  rows: StoredRows<F, R>,
  begin: (transaction: Transaction) => Generator<Y, A, unknown>
): Effect.Effect<A, FailureOf<Y> | F, R> => {
  const source = new CallSource(rows)
  const transaction = new Transaction(source)
  const command = begin(transaction)
  const advance = (answer?: unknown): Effect.Effect<A, FailureOf<Y> | F, R> => {
    const step = command.next(answer)
    if (step.done === true) return Effect.mapEager(eachInTurn(transaction.writes, rows.write), () => step.value)
    if (step.value instanceof Failed) return Exit.fail(step.value.error as FailureOf<Y>)
    return Effect.flatMap(source.call, (found) => advance(transaction.answer(found)))
  }
  return advance()
}
