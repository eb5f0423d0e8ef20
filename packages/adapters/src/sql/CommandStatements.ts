import {
  Failed,
  type FailureOf,
  pending,
  type Query,
  type Source,
  type Table,
  Transaction,
  type Write,
  type Yielded
} from "@petstore/core/kernel"
import type { BeginCommand, EventRecord, StorageError } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type { MergeRanges } from "./IndexRange.ts"
import { Asked, type Asking, Changed, NewIds, type Program, type Statement } from "./Program.ts"
import { claimed, rowsOf } from "./TableStatements.ts"
import { type RowKey, tableNamed } from "./tableText.ts"

/** How a transaction reads the log of events, with what it has added. */
export interface OpenEvents {
  readonly scan: (after: number, limit: number) => Asked<ReadonlyArray<EventRecord>>
  readonly latest: Statement<number | undefined>
}

/** The rows of a transaction: each request of a command as a program of statements. */
export class CommandStatements {
  private readonly merge: MergeRanges
  private readonly events: OpenEvents
  private readonly onWrite: (writes: ReadonlyArray<Write>) => void

  /** `onWrite`: called before changes are made. */
  constructor(merge: MergeRanges, events: OpenEvents, onWrite: (writes: ReadonlyArray<Write>) => void = () => {}) {
    this.merge = merge
    this.events = events
    this.onWrite = onWrite
  }

  private *select<Row, Argument, Key extends RowKey>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): Asking<ReadonlyArray<Row>> {
    yield* inTurn(query, argument)
    return yield* rowsOf(query.table).select(query, argument, limit, this.merge)
  }

  private *count<Row, Argument, Key extends RowKey>(
    query: Query<Row, Argument, Key>,
    argument: Argument,
    most: number
  ): Asking<number> {
    yield* inTurn(query, argument)
    return yield* rowsOf(query.table).count(query, argument, most)
  }

  /** The rows that are made of new ids. They are stored when they are among the changes. */
  private *insert<Row>(table: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): Asking<ReadonlyArray<Row>> {
    const ids = yield* new NewIds(tableNamed(table.name), rowsOf.length)
    return rowsOf.map((rowOf, index) => rowOf(ids[index] ?? 0))
  }

  /** The rows of a transaction as commands ask for them. `ask` returns the result of a program, if it is at hand. */
  source(ask: <A>(program: Program<A>) => A | typeof pending): Source {
    const { events } = this
    return {
      storesNew: false,
      load: (reading, table, key) =>
        ask(reading === "find" ? rowsOf(table).find(key) : rowsOf(table).lock(key, reading === "lockShared")),
      lockAll: (table, keys) => ask(rowsOf(table).lockAll(keys)),
      findAll: (table, keys) => ask(rowsOf(table).findAll(keys)),
      select: (query, argument, limit) => ask(this.select(query, argument, limit)),
      count: (query, argument, limit) => ask(this.count(query, argument, limit)),
      claim: (query, argument, limit) => ask(rowsOf(query.table).claim(query, argument, limit)),
      scan: (after, limit) => ask(events.scan(after, limit)),
      last: () => ask(new Asked({ ...events.latest, decode: (rows) => events.latest.decode(rows) ?? 0 })),
      insert: (table, rowsOf) => ask(this.insert(table, rowsOf))
    }
  }

  /** Makes changes. Fails before it makes any if a value of a row is taken. */
  *write(writes: ReadonlyArray<Write>): Asking<void> {
    if (writes.length === 0) return
    yield* requireFree(writes)
    const numbered: Array<Write> = []
    for (const write of writes) numbered.push(yield* withIds(write))
    this.onWrite(writes)
    yield* new Changed(numbered)
  }

  /** Runs a command for a caller with these services, and makes the changes that it has collected when it ends. */
  *run<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginCommand<Y, A>
  ): Asking<A, FailureOf<Y> | StorageError> {
    let asked: Program<unknown> = nothing
    const source = this.source((program) => {
      asked = program
      return pending
    })
    const transaction = new Transaction(source)
    const command = begin(transaction, context)
    let step = command.next()
    while (step.done !== true) {
      // What a command fails with is what its type says.
      if (step.value instanceof Failed) return yield* step.value as Failed<FailureOf<Y>>
      step = command.next(transaction.answer(yield* asked))
    }
    yield* this.write(transaction.writes)
    return step.value
  }
}

const nothing: Program<undefined> = {
  *[Symbol.iterator]() {
    return undefined
  }
}

/** Fails with the error of the first row whose values another one has, which no write before it gives up. */
export function* requireFree(writes: ReadonlyArray<Write>): Asking<void> {
  for (let place = 0; place < writes.length; place++) {
    const write = writes[place]
    if (write === undefined || !("table" in write)) continue
    const rows = rowsOf(tableNamed(write.table))
    if (rows.takenIndex !== undefined) yield* rows.requireFree(write, () => writes.slice(0, place))
  }
}

/** Rows that are added to a log get their ids before they are written. */
function* withIds(write: Write): Asking<Write> {
  if (!("log" in write) || write.log === "events") return write
  const table = tableNamed(write.log)
  if (!table.generatesIds) return write
  const ids = yield* new NewIds(table, write.rows.length)
  return { log: write.log, rows: write.rows.map((row, index) => table.withId(row, ids[index] ?? 0)) }
}

/** Waits until no other transaction asks an exclusive query with this argument. */
function* inTurn<Row, Argument, Key extends RowKey>(
  { isExclusive, name }: Query<Row, Argument, Key>,
  argument: Argument
): Asking<void> {
  if (isExclusive) yield* claimed(name, typeof argument === "string" || typeof argument === "number" ? [argument] : [])
}

/** What writes of one statement have in common; undefined for one that has its own. */
const kindOf = (write: Write): string | undefined => {
  if ("log" in write) return `add to ${write.log}`
  if ("remove" in write) return `remove ${write.remove}`
  if (!("table" in write)) return undefined
  if (write.before === undefined) return `add ${write.table}`
  // One statement gives its rows their values in any order, and a value is taken until the row before has given it up.
  return rowsOf(tableNamed(write.table)).takenIndex === undefined ? `change ${write.table}` : undefined
}

/** Divides writes into those that follow one another and have the same kind and table. */
export const runsOf = (writes: ReadonlyArray<Write>): ReadonlyArray<ReadonlyArray<Write>> => {
  const runs: Array<Array<Write>> = []
  let last: string | undefined
  for (const write of writes) {
    const kind = kindOf(write)
    if (kind !== undefined && kind === last) runs.at(-1)?.push(write)
    else runs.push([write])
    last = kind
  }
  return runs
}
