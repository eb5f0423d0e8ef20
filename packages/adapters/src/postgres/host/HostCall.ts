import { StorageBusy } from "@petstore/core/domain"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { MutexHolder } from "../../sql/Mutex.ts"
import { BodyTransaction } from "../commit/BodyTransaction.ts"
import { claimTimeout } from "../commit/claimName.ts"
import type { Parameter, Result as Rows } from "../connection/PostgresConnection.ts"
import type { Changes } from "../statements/changes.ts"
import { inSchema } from "../statements/dialect.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import type { SharedTransaction, Statement } from "../statements/Statement.ts"
import { type CallSettings, CallSteps } from "./CallSteps.ts"
import { type HostStatement, query, resultOf, silent } from "./HostStatement.ts"
import { CaughtError, ended } from "./hostErrors.ts"

/** A write that the call makes when it ends. */
interface Write {
  readonly table: string
  readonly statement: HostStatement
}

export interface HostCallSettings extends CallSettings {
  readonly schema: string
  readonly sql: PostgresSql
}

const tableName = /petstore_\w+/g

const lockName = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
const appendPending = "INSERT INTO petstore_pending (id, type, subject, timestamp, data) VALUES ($1, $2, $3, $4, $5)"
const pendingTable = "petstore_pending"

/**
 * A call in a transaction that the host application has open. Between any two of its statements the application may end that
 * transaction or roll back to a savepoint, so the call only reads and locks, keeps what it will write, and writes all of it
 * by its last statement. To read what it will have written, it writes, reads and rolls the writes back within one statement.
 */
export class HostCall implements SharedTransaction, MutexHolder {
  /** Each row by a statement of its own: `petstore_host_call` takes no arrays in the binary format. */
  readonly division = "oneByOne"
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

  /** Whether it has anything to write. */
  get wrote(): boolean {
    return this.writes.length > 0
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
    const exit = await new BodyTransaction(this, this.settings.sql).start(context, body)
    return this.finish(exit)
  }

  describe(): string {
    return "a call in the same transaction of the host application"
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Promise<Exit.Exit<A, StorageError>> {
    if (statement.use === "read") return this.read(statement, values)
    return statement.use === "write" ? this.refuse() : this.lock(statement, values)
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

  async write({ events, statements }: Changes): Promise<Exit.Exit<void, StorageError>> {
    for (const { table, text, values } of statements) this.add(table, silent(text, values))
    const text = inSchema(this.settings.schema, appendPending)
    for (const { data, id, subject, timestamp, type } of events) {
      this.add(pendingTable, silent(text, [id, type, subject, timestamp, JSON.stringify(data)]))
    }
    return Exit.void
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

  private async refuse(): Promise<Exit.Exit<never, StorageError>> {
    return Exit.die(new TypeError("This cannot be done in a transaction of your app: call it without one."))
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
