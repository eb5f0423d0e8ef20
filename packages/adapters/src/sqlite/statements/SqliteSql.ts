import { OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { insertionOf } from "../../sql/RowTarget.ts"
import type { Query, Sql } from "../../sql/Sql.ts"
import { bind, bindAll } from "../connection/Connection.ts"
import type { Snapshot } from "../connection/Snapshots.ts"
import { mergeRanges } from "./mergeRanges.ts"
import {
  all,
  first,
  insert,
  insertRows,
  partsOf,
  run,
  runOwn,
  type SqliteTransaction,
  type Statement,
  type StatementRunner,
  tryInsert,
  tryRun
} from "./Statement.ts"

/** How many rows the statements that add rows have: few statements, for any number of rows. */
const rowCounts = [128, 64, 32, 16, 8, 4, 2, 1]

/** A snapshot that a fiber reads from, and that of another store around it. */
interface SnapshotOfStore {
  readonly store: object
  readonly snapshot: Snapshot
  readonly outer: SnapshotOfStore | undefined
}

export class CurrentSnapshot extends Context.Service<CurrentSnapshot, SnapshotOfStore>()(
  "@petstore/adapters/sqlite/CurrentSnapshot"
) {}

/**
 * Runs each statement of a store where its fiber is: in the open transaction, else in the snapshot, else by `reader` on what is
 * committed. A file has one writer, so a row that a transaction reads is locked.
 */
export class SqliteSql implements Sql {
  readonly transactions = new OpenTransactions<SqliteTransaction>()
  private readonly reader: StatementRunner

  constructor(reader: StatementRunner) {
    this.reader = reader
  }

  /** The snapshot of this store that a fiber reads from. */
  snapshot(context: Context.Context<never>): Snapshot | undefined {
    let current = Context.getOrUndefined(context, CurrentSnapshot)
    while (current !== undefined && current.store !== this.transactions.store) current = current.outer
    return current?.snapshot
  }

  readonly first: Sql["first"] = (statement, decode) => this.reading(first(statement, decode, "read"))
  readonly all: Sql["all"] = (statement, decode) => this.reading(all(statement, decode))
  readonly merge: Sql["merge"] = mergeRanges
  readonly lock: Sql["lock"] = (statement, decode) => this.writing(first(statement, decode, "lock"))
  readonly lockShared: Sql["lockShared"] = this.lock
  readonly lockFree: Sql["lockFree"] = (statement, decode) => this.writing(all(statement, decode))
  // The one writer holds every name as long as its transaction is open.
  readonly claim: Sql["claim"] = () => () =>
    Effect.withFiber(({ context }) => Effect.as(Effect.succeed(this.transactions.require(context)), true))
  readonly isInTransaction: Sql["isInTransaction"] = Effect.withFiber(({ context }) =>
    Effect.succeed(this.transactions.find(context) !== undefined)
  )
  readonly runOwn: Sql["runOwn"] = (statement) => this.writing(runOwn(statement))
  readonly run: Sql["run"] = (statement) => this.writing(run(statement))
  readonly tryRun: Sql["tryRun"] = (statement, conflict) => this.writing(tryRun(statement, conflict))
  readonly insertAll: Sql["insertAll"] = (target) => {
    const statements = rowCounts.map((count) => ({ count, statement: insertRows(target, count) }))
    return (rows) => {
      const parts = partsOf(rows.length, statements)
      return Effect.withFiber<void, StorageError, Transaction>(({ context }) => {
        const transaction = this.transactions.require(context)
        const add = ({ count, start, statement }: (typeof parts)[number]) =>
          transaction.execute(statement, bindAll(rows, start, start + count))
        return Effect.forEach(parts, add, { discard: true })
      })
    }
  }
  readonly removeAll: Sql["removeAll"] = (_target, one) => {
    const remove = this.run(one)
    return (keys) => Effect.forEach(keys, (key) => remove(...key), { discard: true })
  }
  // One by one: a statement of many rows keeps a copy of each page that it changes until it ends. Rows that have an id, unlike those
  // of a log, come with indexes in which they go to as many pages.
  readonly insertMany: Sql["insertMany"] = (target) => {
    const statement = insert(insertionOf(target))
    return (rows) =>
      Effect.withFiber<ReadonlyArray<number>, StorageError, Transaction>(({ context }) => {
        const transaction = this.transactions.require(context)
        return Effect.forEach(rows, (values) => transaction.execute(statement, bind(values)))
      })
  }
  readonly tryInsert: Sql["tryInsert"] = (statement, conflict) => this.writing(tryInsert(statement, conflict))

  private reading<A>(statement: Statement<A>): Query<A> {
    return (...values) => {
      const bound = bind(values)
      return Effect.withFiber<A, StorageError>(({ context }) =>
        (this.transactions.find(context) ?? this.snapshot(context) ?? this.reader).execute(statement, bound)
      )
    }
  }

  private writing<A>(statement: Statement<A>): Query<A, Transaction> {
    return (...values) => {
      const bound = bind(values)
      return Effect.withFiber<A, StorageError, Transaction>(({ context }) =>
        this.transactions.require(context).execute(statement, bound)
      )
    }
  }
}
