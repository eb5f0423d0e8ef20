import type { StorageError } from "@petstore/core/ports"
import { Effect, Exit, Predicate } from "effect"
import type { SqlTransaction, SqlValue } from "../sql/SqlTransaction.ts"
import type { Connection } from "./Connection.ts"
import { hostError } from "./hostErrors.ts"
import type { Row, Statement } from "./Session.ts"

/** What the host made of numbers and lists is its own affair; those of this store are safe integers. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value)

/** Whether a BEGIN was refused because a transaction is open; libraries put errors of their own around that of SQLite. */
const isOpenAlready = (cause: unknown): boolean =>
  cause instanceof Error && (cause.message.includes("within a transaction") || isOpenAlready(cause.cause))

/** Runs statements in one transaction of a library of the host. */
export class BridgeSession {
  /** Whether it has been found to be one of this database. */
  isKnown = false
  private readonly transaction: SqlTransaction
  private readonly own: Connection
  private readonly columns = new Map<string, ReadonlyArray<string>>()

  /** `own`: a connection of the engine, which knows the columns of a statement where the library does not. */
  constructor(transaction: SqlTransaction, own: Connection) {
    this.transaction = transaction
    this.own = own
  }

  execute<A>({ asRows, sql }: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError> {
    const { suffix } = asRows
    if (suffix === undefined) return Effect.map(this.run(sql, values), () => asRows.read([]))
    return Effect.map(this.rows(sql + suffix, values), asRows.read)
  }

  rows(sql: string, values: ReadonlyArray<SqlValue> = []): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    const statement = this.own.named(sql)
    return Effect.map(
      ask(() => this.transaction.rows(statement, values)),
      (rows) => rows.map((row) => this.toRow(statement, row))
    )
  }

  run(sql: string, values: ReadonlyArray<SqlValue> = []): Effect.Effect<unknown, StorageError> {
    return ask(() => this.transaction.run(this.own.named(sql), values))
  }

  /** Whether the transaction is open. SQLite may have ended it by itself, and a savepoint would begin one that nobody ends. */
  readonly isOpen: Effect.Effect<boolean> = Effect.uninterruptible(
    Effect.suspend(() => (this.transaction.isExclusive ? this.keepsSettings : this.refusesToBegin))
  )

  /** SQLite ignores a change of this setting in a transaction. References are enforced, or the transaction were not known. */
  private readonly keepsSettings: Effect.Effect<boolean> = Effect.andThen(
    Effect.suspend(() => this.run("PRAGMA foreign_keys = OFF")),
    Effect.suspend(() => this.rows("PRAGMA foreign_keys"))
  ).pipe(
    Effect.flatMap(([row]) =>
      row?.foreign_keys === 1 ? Exit.succeed(true) : Effect.as(this.run("PRAGMA foreign_keys = ON"), false)
    ),
    Effect.orElseSucceed(() => false)
  )

  /** Better where others may use the connection meanwhile; but a library may log the error. */
  private readonly refusesToBegin: Effect.Effect<boolean> = Effect.suspend(() =>
    Effect.matchEffect(this.run("BEGIN"), {
      onFailure: ({ cause }) => Exit.succeed(isOpenAlready(cause)),
      onSuccess: () => Effect.as(Effect.ignore(this.run("COMMIT")), false)
    })
  )

  private toRow(statement: string, row: unknown): Row {
    const entries = Array.isArray(row)
      ? this.columnsOf(statement).map((name, index) => [name, row[index]] as const)
      : Object.entries(Object(row))
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]))
  }

  private columnsOf(statement: string): ReadonlyArray<string> {
    let names = this.columns.get(statement)
    if (names === undefined) {
      names = this.own.database
        .prepare(statement)
        .columns()
        .map(({ name }) => name)
      this.columns.set(statement, names)
    }
    return names
  }
}

/** Answers at once where the library does. What has begun is waited for, whoever gives it up. */
const ask = <A>(call: () => A | PromiseLike<A>): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    try {
      const answer = call()
      if (!Predicate.isPromiseLike(answer)) return Exit.succeed(answer)
      return Effect.uninterruptible(Effect.tryPromise({ try: async () => answer, catch: (cause) => hostError(cause) }))
    } catch (cause) {
      return Exit.fail(hostError(cause))
    }
  })
