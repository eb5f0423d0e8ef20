import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import { StorageBusy } from "@petstore/core/domain"
import type { EventToAppend, StorageError, Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { MutexHolder } from "../../sql/Mutex.ts"
import { BodyTransaction, type SharedTransaction } from "../commit/BodyTransaction.ts"
import { claimTimeout } from "../commit/claimName.ts"
import type { Parameter, Result as Rows } from "../connection/PostgresConnection.ts"
import { inSchema, quoted } from "../statements/dialect.ts"
import type { PostgresTransaction, Statement } from "../statements/Statement.ts"
import { type CallSettings, CallSteps } from "./CallSteps.ts"
import { type HostStatement, query, resultOf, silent, write } from "./HostStatement.ts"
import { CaughtError, ended } from "./hostErrors.ts"

/** A write that the call makes when it ends. */
interface Write {
  readonly table: string
  readonly statement: HostStatement
}

export interface HostCallSettings extends CallSettings {
  readonly schema: string
  readonly transactions: OpenTransactions<PostgresTransaction>
}

const tableName = /petstore_\w+/g

const nextId = "SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id"
const nextIds = "SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id FROM generate_series(1, $2::bigint)"
const lockName = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
const appendPending = "INSERT INTO petstore_pending (id, type, subject, timestamp, data) VALUES ($1, $2, $3, $4, $5)"
const pendingTable = "petstore_pending"
const returningId = " RETURNING id"

/** A statement that inserts a row, with the id that the row will have. */
const withId = (text: string, values: ReadonlyArray<Parameter>, id: number): HostStatement =>
  silent(
    text
      .replace(/(petstore_\w+\s*)\(/, "$1(id, ")
      .replace("VALUES (", `VALUES ($${values.length + 1}, `)
      .slice(0, -returningId.length),
    [...values, id]
  )

/**
 * A call in a transaction that the host application has open. Between any two of its statements the application may end that
 * transaction or roll back to a savepoint, so the call only reads and locks, keeps what it will write, and writes all of it
 * by its last statement. To read what it will have written, it writes, reads and rolls the writes back within one statement.
 */
export class HostCall implements SharedTransaction, MutexHolder {
  private readonly steps: CallSteps
  private readonly settings: HostCallSettings
  private readonly writes: Array<Write> = []

  constructor(settings: HostCallSettings) {
    this.settings = settings
    this.steps = new CallSteps(settings)
  }

  /** Whether another call runs in the transaction. */
  get waits(): boolean {
    return !this.steps.hasBegun && this.steps.lost === undefined
  }

  /** Lets the call belong to the transaction that is open now, before its turn. */
  readonly enter: Effect.Effect<void> = Effect.callback((resume) => {
    const entered = this.steps.enter()
    void entered.then(() => resume(Effect.void))
    return Effect.promise(async () => {
      await entered
      await this.steps.withdraw()
    })
  })

  /** Ends the call without effect, unless it has begun to write. */
  cancel(): void {
    this.steps.cancel()
  }

  /** Runs a body as this call. */
  async run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Promise<Exit.Exit<A, E | StorageError>> {
    const exit = await new BodyTransaction(this, this.settings.transactions).start(context, body)
    return this.finish(exit)
  }

  describe(): string {
    return "a call in the same transaction of the host application"
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Promise<Exit.Exit<A, StorageError>> {
    switch (statement.use) {
      case "read":
        return this.read(statement, values)
      case "lock":
        return this.lock(statement, values)
      case "write":
        return this.write(statement, values)
    }
  }

  async claim(name: string): Promise<Exit.Exit<boolean, StorageError>> {
    const timeout = Math.min(claimTimeout, this.settings.lockTimeout)
    const exit = await this.steps.take({ mark: true, statements: [silent(lockName, [name])] }, timeout)
    if (Exit.isSuccess(exit)) return Exit.succeed(true)
    const error = Cause.findError(exit.cause)
    const isTaken =
      Result.isSuccess(error) && error.success.cause instanceof CaughtError && error.success.cause.code === "55P03"
    return isTaken ? Exit.succeed(false) : Exit.failCause(exit.cause)
  }

  append({ data, id, subject, timestamp, type }: EventToAppend): void {
    const text = inSchema(this.settings.schema, appendPending)
    this.add(pendingTable, silent(text, [id, type, subject, timestamp, JSON.stringify(data)]))
  }

  async part<A, E>(body: () => Promise<Exit.Exit<A, E>>): Promise<Exit.Exit<A, E | StorageError>> {
    const { length } = this.writes
    const exit = await body()
    if (Exit.isFailure(exit)) this.writes.length = length
    return exit
  }

  private async read<A>(
    statement: Statement<A>,
    values: ReadonlyArray<Parameter>
  ): Promise<Exit.Exit<A, StorageError>> {
    const reading = query(statement.text, values)
    const step = this.isChanged(statement.sql) ? { trial: this.after(reading) } : { statements: [reading] }
    return this.decoded(statement, await this.steps.take(step))
  }

  private async lock<A>(
    statement: Statement<A>,
    values: ReadonlyArray<Parameter>
  ): Promise<Exit.Exit<A, StorageError>> {
    const locking = query(statement.text, values)
    // A lock within what is rolled back would be released with it.
    const step = this.isChanged(statement.sql)
      ? { statements: [locking], trial: this.after(locking) }
      : { statements: [locking] }
    return this.decoded(statement, await this.steps.take({ mark: true, ...step }))
  }

  private async write<A>(
    statement: Statement<A>,
    values: ReadonlyArray<Parameter>
  ): Promise<Exit.Exit<A, StorageError>> {
    const { sql, text } = statement
    const [table = ""] = sql.match(tableName) ?? []
    if (statement.textWithIds !== undefined) return this.writeWithIds(statement, statement.textWithIds, values, table)
    if (!text.endsWith(returningId)) {
      if (statement.isConditional === true) return this.writeIfPossible(statement, values, table)
      this.add(table, silent(text, values))
      return Exit.succeed(statement.decode({ rows: [], count: 1, command: "" }))
    }
    const isConditional = statement.isConditional === true
    // A trial leaves nothing behind that COMMIT would release: the claim of the name before it has marked the transaction.
    const exit = await this.steps.take(
      isConditional
        ? { trial: this.after(write(text, values)) }
        : { mark: true, statements: [query(nextId, [`${quoted(this.settings.schema)}.${table}`])] }
    )
    if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
    const inserted = resultOf(exit.value[0])
    const id = inserted.rows[0]?.id
    if (id !== undefined) this.add(table, { ...withId(text, values, Number(id)), mustWrite: true })
    return Exit.succeed(statement.decode(inserted))
  }

  /** Takes the ids of many rows first, which would otherwise be others each time that the rows are written. */
  private async writeWithIds<A>(
    statement: Statement<A>,
    text: string,
    values: ReadonlyArray<Parameter>,
    table: string
  ): Promise<Exit.Exit<A, StorageError>> {
    const [first] = values
    const count = Array.isArray(first) ? first.length : 0
    const taking = query(nextIds, [`${quoted(this.settings.schema)}.${table}`, count])
    const exit = await this.steps.take({ statements: [taking] })
    if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
    const ids = resultOf(exit.value[0]).rows.map(({ id }) => Number(id))
    this.add(table, silent(text, [ids, ...values]))
    return Exit.succeed(statement.decode({ rows: [], count, command: "" }))
  }

  private async writeIfPossible<A>(
    statement: Statement<A>,
    values: ReadonlyArray<Parameter>,
    table: string
  ): Promise<Exit.Exit<A, StorageError>> {
    const exit = await this.steps.take({ mark: true, trial: this.after(write(statement.text, values)) })
    if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
    const written = resultOf(exit.value[0])
    if (written.count > 0) this.add(table, { ...silent(statement.text, values), mustWrite: true })
    return Exit.succeed(statement.decode(written))
  }

  private decoded<A>(
    statement: Statement<A>,
    exit: Exit.Exit<ReadonlyArray<unknown>, StorageError>
  ): Exit.Exit<A, StorageError> {
    return Exit.map(exit, (results): A => {
      const rows: Rows = resultOf(results[0])
      return statement.decode(rows)
    })
  }

  private add(table: string, statement: HostStatement): void {
    this.writes.push({ table, statement })
  }

  /** Everything that the call will write, and a statement behind it. */
  private after(statement: HostStatement): ReadonlyArray<HostStatement> {
    return [...this.writes.map((write) => write.statement), statement]
  }

  private isChanged(sql: string): boolean {
    const tables: ReadonlyArray<string> = sql.match(tableName) ?? []
    return this.writes.some(({ table }) => tables.includes(table))
  }

  private async finish<A, E>(exit: Exit.Exit<A, E>): Promise<Exit.Exit<A, E | StorageError>> {
    const { steps } = this
    if (Exit.isFailure(exit) || steps.lost !== undefined) {
      const isOpen = await steps.withdraw()
      return steps.lost ?? (isOpen ? exit : endedExit(exit))
    }
    if (this.writes.length > 0 && !steps.marked) {
      const begun = await steps.take({ mark: true })
      if (Exit.isFailure(begun)) return Exit.failCause(begun.cause)
    }
    if (!steps.hasBegun) return exit
    const statements = this.writes.map(({ statement }) => statement)
    const unmark = steps.marked ? ({ unmark: true } as const) : {}
    const finished: Exit.Exit<unknown, StorageError> =
      statements.length === 0
        ? await steps.take({ ...unmark, last: true })
        : await steps.finish({ statements, ...unmark, last: true })
    return Exit.isFailure(finished) ? Exit.failCause(finished.cause) : exit
  }
}

/** The exit of a call whose transaction has ended before it: nothing of the call has happened. */
const endedExit = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<A, E> => {
  if (Exit.isSuccess(exit)) return exit
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error) || error.success instanceof StorageBusy) return exit
  return Exit.die(new TypeError(ended, { cause: error.success }))
}
