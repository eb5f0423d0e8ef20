import { StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { FailureOf, Yielded } from "@petstore/core/kernel"
import type { BeginCommand, StorageError } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { MutexHolder } from "../../sql/Mutex.ts"
import { claimTimeoutMillis } from "../commit/claimName.ts"
import type { SchemaCheck } from "../commit/SchemaCheck.ts"
import type { Parameter, Result as Rows } from "../connection/PostgresConnection.ts"
import type { Changes } from "../statements/changes.ts"
import { inSchema } from "../statements/dialect.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import type { PostgresTransaction, Statement } from "../statements/Statement.ts"
import { type CallSettings, CallSteps } from "./CallSteps.ts"
import type { Step } from "./HostConnection.ts"
import { CaughtError, ended } from "./hostErrors.ts"
import { query, resultOf, type StepStatement, silent } from "./StepStatement.ts"

interface HostCallSettings extends CallSettings {
  readonly schema: string
  readonly schemaCheck: SchemaCheck
  readonly sql: PostgresSql
}

const lockName = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
const appendPending = "INSERT INTO petstore_pending (id, type, subject, timestamp, data) VALUES ($1, $2, $3, $4, $5)"

/**
 * A call in a transaction that the host application has open. Between any two of its statements the application may end that
 * transaction or roll back to a savepoint, so the call only reads and locks, and writes all that its command has collected by its last
 * statement.
 */
export class HostCall implements PostgresTransaction, MutexHolder {
  /** Each row by a statement of its own: `petstore_host_call` takes no arrays in the binary format. */
  readonly division = "oneByOne"
  private readonly steps: CallSteps
  private readonly settings: HostCallSettings
  private writes: ReadonlyArray<StepStatement> = []
  private hasLooked = false

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

  async run<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginCommand<Y, A>
  ): Promise<Exit.Exit<A, FailureOf<Y> | StorageError>> {
    return this.finish(await this.settings.sql.runCommand(this, context, begin))
  }

  /** Takes a step. The first one looks at the schema too if that is due: there may be no other connection. */
  private async take(
    step: Pick<Step, "mark" | "statements">,
    lockTimeout?: number
  ): Promise<Exit.Exit<ReadonlyArray<unknown>, StorageError>> {
    const { schemaCheck } = this.settings
    // Nothing is awaited before the step is sent: an app that does not wait for the call sends its COMMIT behind it.
    if (this.hasLooked || schemaCheck.isPassed) return this.steps.take(step, lockTimeout)
    this.hasLooked = true
    let taken: Exit.Exit<ReadonlyArray<unknown>, StorageError> | undefined
    const problem = await schemaCheck.problemBy(async (text) => {
      taken = await this.steps.take({ ...step, statements: [query(text, []), ...(step.statements ?? [])] }, lockTimeout)
      if (Exit.isFailure(taken)) throw Cause.squash(taken.cause)
      const [schema, ...results] = taken.value
      taken = Exit.succeed(results)
      return resultOf(schema)
    })
    if (problem !== undefined) return Exit.fail(new StorageUnavailable({}, { message: problem }))
    return taken ?? this.steps.take(step, lockTimeout)
  }

  describe(): string {
    return "a call in the same transaction of the host application"
  }

  async execute<A>(
    { decode, text, use }: Statement<A>,
    values: ReadonlyArray<Parameter>
  ): Promise<Exit.Exit<A, StorageError>> {
    const statements = [query(text, values)]
    const exit = await this.take(use === "read" ? { statements } : { mark: true, statements })
    return Exit.map(exit, ([rows]): A => {
      const result: Rows = resultOf(rows)
      return decode(result)
    })
  }

  async claim(name: string): Promise<Exit.Exit<boolean, StorageError>> {
    const timeout = Math.min(claimTimeoutMillis, this.settings.lockTimeout)
    const exit = await this.take({ mark: true, statements: [silent(lockName, [name])] }, timeout)
    if (Exit.isSuccess(exit)) return Exit.succeed(true)
    const error = Cause.findError(exit.cause)
    const isTaken =
      Result.isSuccess(error) && error.success.cause instanceof CaughtError && error.success.cause.code === "55P03"
    return isTaken ? Exit.succeed(false) : Exit.failCause(exit.cause)
  }

  async write({ events, statements }: Changes): Promise<Exit.Exit<void, StorageError>> {
    const text = inSchema(this.settings.schema, appendPending)
    this.writes = [
      ...statements.map((statement) => silent(statement.text, statement.values)),
      ...events.map(({ data, id, subject, timestamp, type }) =>
        silent(text, [id, type, subject, timestamp, JSON.stringify(data)])
      )
    ]
    return Exit.void
  }

  private async finish<A, E>(exit: Exit.Exit<A, E>): Promise<Exit.Exit<A, E | StorageError>> {
    const { steps } = this
    if (Exit.isFailure(exit) || steps.lost !== undefined) {
      const isOpen = await steps.withdraw()
      return steps.lost ?? (isOpen ? exit : endedExit(exit))
    }
    if (this.writes.length > 0 && !steps.marked) {
      const begun = await this.take({ mark: true })
      if (Exit.isFailure(begun)) return Exit.failCause(begun.cause)
    }
    if (!steps.hasBegun) return exit
    const unmark = steps.marked ? ({ unmark: true } as const) : {}
    const finished: Exit.Exit<unknown, StorageError> =
      this.writes.length === 0
        ? await steps.take({ ...unmark, last: true })
        : await steps.finish({ statements: this.writes, ...unmark, last: true })
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
