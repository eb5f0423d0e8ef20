// A library answers in real time: timers and clock stay real where a test replaces the global ones.
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { SqlTransaction, SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { Row } from "../statements/Session.ts"

/** Why a library has no result of a statement. */
export class StatementFailed {
  readonly _tag = "StatementFailed"
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** A library has not answered in time. Whether the statement has run, or will run yet, nobody knows. */
export class Unanswered {
  readonly _tag = "Unanswered"
}

/** A statement for a library of the host, with the names that this package gives to tables. */
export interface BridgedStatement {
  readonly sql: string
  readonly values?: ReadonlyArray<SqlValue>
  /** The names of its columns, if they cannot be found out by preparing it on a connection of the engine. */
  readonly columns?: ReadonlyArray<string>
}

/** How a statement is waited for. */
export interface Wait {
  /** For so many milliseconds. */
  readonly limit: number
  /** Is given the answer that is waited for; it may settle after the wait has ended. */
  readonly watch: (answer: PromiseLike<unknown>) => void
  /** Whether the statement ends the call: an interruption then shortens the wait, and the result still counts. */
  readonly isLast?: boolean
}

/** What the host made of numbers and lists is its own affair; those of this store are safe integers. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value)

/** Milliseconds that an interrupted call waits for the statement that runs, to leave nothing behind it. */
export const grace = 250

/** Finds the names of the columns of statements. */
export class Columns {
  /** A connection of the engine. */
  readonly own: Connection
  private readonly known = new Map<string, ReadonlyArray<string>>()

  constructor(own: Connection) {
    this.own = own
  }

  of(statement: string): ReadonlyArray<string> {
    let names = this.known.get(statement)
    if (names === undefined) {
      names = this.own.database
        .prepare(statement)
        .columns()
        .map(({ name }) => name)
      this.known.set(statement, names)
    }
    return names
  }
}

/** Runs statements in one transaction of a library of the host. */
export class BridgeSession {
  private readonly transaction: SqlTransaction
  private readonly columns: Columns

  /** `columns`: those of statements, where the library does not know them. */
  constructor(transaction: SqlTransaction, columns: Columns) {
    this.transaction = transaction
    this.columns = columns
  }

  /** The rows of a statement. */
  rows(
    { columns, sql, values = [] }: BridgedStatement,
    wait: Wait
  ): Effect.Effect<ReadonlyArray<Row>, StatementFailed | Unanswered> {
    const statement = this.columns.own.named(sql)
    return Effect.flatMap(
      ask(() => this.transaction.rows(statement, values), wait),
      (rows): Exit.Exit<ReadonlyArray<Row>, StatementFailed> =>
        Array.isArray(rows)
          ? Exit.succeed(rows.map((row) => this.toRow(statement, row, columns)))
          : Exit.fail(new StatementFailed(new TypeError("The library of the host returned no list of rows")))
    )
  }

  /** Runs a statement that has no rows. */
  run(sql: string, wait: Wait): Effect.Effect<unknown, StatementFailed | Unanswered> {
    return ask(() => this.transaction.run(this.columns.own.named(sql), []), wait)
  }

  private toRow(statement: string, row: unknown, columns: ReadonlyArray<string> | undefined): Row {
    const entries = Array.isArray(row)
      ? (columns ?? this.columns.of(statement)).map((name, index) => [name, row[index]] as const)
      : Object.entries(Object(row))
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]))
  }
}

/** Answers at once where the library does. */
const ask = <A>(
  call: () => A | PromiseLike<A>,
  { isLast = false, limit, watch }: Wait
): Effect.Effect<A, StatementFailed | Unanswered> =>
  Effect.suspend(() => {
    try {
      const answer = call()
      if (!Predicate.isPromiseLike(answer)) return Exit.succeed(answer)
      // Queries of some libraries run each time that then is called on them.
      const promise = Promise.resolve(answer)
      watch(promise)
      return isLast ? settledLast(promise, limit) : settled(promise, limit)
    } catch (cause) {
      return Exit.fail(new StatementFailed(cause))
    }
  })

const settled = <A>(answer: PromiseLike<A>, limit: number): Effect.Effect<A, StatementFailed | Unanswered> =>
  Effect.callback((resume) => {
    const late = (): void => resume(Exit.fail(new Unanswered()))
    // Where the process itself was busy for so long, an answer that is there already comes first.
    const timer = setTimeout(() => setImmediate(late), limit)
    let interrupted = (): void => {}
    const settle = (exit: Exit.Exit<A, StatementFailed>): void => {
      clearTimeout(timer)
      resume(exit)
      interrupted()
    }
    answer.then(
      (value) => settle(Exit.succeed(value)),
      (cause) => settle(Exit.fail(new StatementFailed(cause)))
    )
    return Effect.callback<void>((done) => {
      clearTimeout(timer)
      const patience = setTimeout(() => done(Effect.void), grace)
      interrupted = () => {
        clearTimeout(patience)
        done(Effect.void)
      }
    })
  })

const settledLast = <A>(answer: PromiseLike<A>, limit: number): Effect.Effect<A, StatementFailed | Unanswered> => {
  // An interruption that came earlier leaves no time for the first wait.
  let rest = Math.min(limit, grace)
  const first = Effect.suspend(() => {
    rest = 0
    return settled(answer, limit)
  })
  return Effect.flatMap(Effect.exit(Effect.interruptible(first)), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? settled(answer, rest) : exit
  )
}
