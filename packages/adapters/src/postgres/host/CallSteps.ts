import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import { otherDatabase, unresponsive } from "../../sql/JoinedTransactions.ts"
import { sqlState } from "../connection/errors.ts"
import { type HostConnection, type Place, StatementTimedOut, type Step, type StepResult } from "./HostConnection.ts"
import {
  CaughtError,
  ended,
  isLost,
  libraryError,
  otherCall,
  stepError,
  unknownError,
  wrongLevel
} from "./hostErrors.ts"

export interface CallSettings {
  readonly connection: HostConnection
  /** What the library has for the transaction. */
  readonly identity: object
  /** The transactions and connections that are known to belong to this database. */
  readonly known: WeakSet<object>
  /** Identifies the database. */
  readonly database: string
  /** How messages name the database. */
  readonly address: string
  /** Milliseconds to wait for locks, and for other calls. */
  readonly lockTimeout: number
}

type Results = ReadonlyArray<unknown>
type Outcome<A> = Exit.Exit<A, StorageError>

/** A state that no call leaves: a step that asks for it only ends the call, if that still runs. */
const none = "-"

/** Milliseconds before it is tried again whether a call through another object of the library still runs. */
const pauseMillis = 5

/**
 * The steps of one call, each one statement. From the second one on, a step does nothing unless the transaction is as the
 * step before has left it: not ended, not rolled back to a savepoint from before that step, which would release its locks.
 */
export class CallSteps {
  private readonly settings: CallSettings
  private readonly token = randomUUID()
  private count = 0
  private state: string | undefined
  private transaction: string | undefined
  private isMarked = false
  private failure: Exit.Exit<never, StorageError> | undefined
  private deadline: number | undefined

  constructor(settings: CallSettings) {
    this.settings = settings
  }

  /** Whether the transaction knows of the call. */
  get hasBegun(): boolean {
    return this.state !== undefined
  }

  /** Whether the call keeps COMMIT from succeeding. */
  get marked(): boolean {
    return this.isMarked
  }

  /** Why the call cannot go on, if it cannot. */
  get lost(): Exit.Exit<never, StorageError> | undefined {
    return this.failure
  }

  /** Rejects the steps that have not begun, but for the last one. */
  cancel(): void {
    this.failure ??= Exit.interrupt()
  }

  /**
   * Begins the call without doing anything, if no other one runs in the transaction. If one does, the call belongs to that
   * transaction from now on, and does not begin in the next one.
   */
  async enter(): Promise<void> {
    const outcome = await this.send({ lockTimeout: 0 })
    if (Exit.isFailure(outcome)) this.lose(Exit.failCause(outcome.cause))
    else if ("occupied" in outcome.value) this.transaction = outcome.value.occupied
    else if ("state" in outcome.value) this.begin(outcome.value.state)
    else this.lose(Exit.die(this.problemOf(outcome.value)))
  }

  /** Takes a step, and returns its results. */
  async take(step: Omit<Step, "lockTimeout">, lockTimeout = this.settings.lockTimeout): Promise<Outcome<Results>> {
    if (this.failure !== undefined) return this.failure
    const mark = step.mark === true && !this.isMarked
    const { mark: _, ...rest } = step
    const given: Step = { ...rest, ...(mark ? { mark } : {}), lockTimeout }
    for (;;) {
      if (mark) this.isMarked = true
      const outcome = await this.send(given)
      if (Exit.isFailure(outcome)) return this.lose(Exit.failCause(outcome.cause))
      const result = outcome.value
      if ("state" in result) {
        this.begin(result.state)
        return Exit.succeed(result.results)
      }
      if (mark) this.isMarked = false
      if ("failed" in result) return Exit.fail(stepError(new CaughtError(result.failed)))
      if (!("occupied" in result)) return this.lose(Exit.die(this.problemOf(result)))
      this.transaction = result.occupied
      if (!(await this.waitForOther())) return this.lose(Exit.fail(otherCall()))
    }
  }

  /** Takes the step that writes and ends the call. */
  async finish(step: Omit<Step, "lockTimeout">): Promise<Outcome<void>> {
    try {
      const result = await this.settings.connection.send({
        ...step,
        ...this.next(),
        lockTimeout: this.settings.lockTimeout
      })
      if ("state" in result) return Exit.void
      if (!("failed" in result)) return Exit.die(new TypeError(ended))
      await this.withdraw()
      return Exit.fail(stepError(new CaughtError(result.failed)))
    } catch (cause) {
      return this.unfinished(cause)
    }
  }

  /** Ends the call without effect. Returns false if its transaction has ended before. */
  async withdraw(): Promise<boolean> {
    if (this.state === undefined) return true
    // It is ended when the library has settled the statement.
    if (this.settings.connection.isPending) return false
    try {
      const step: Step = { last: true, lockTimeout: 0, ...(this.isMarked ? { unmark: true } : {}) }
      return "state" in (await this.settings.connection.send({ ...step, ...this.next() }))
    } catch {
      return false
    }
  }

  private async send(step: Step): Promise<Outcome<StepResult>> {
    const { address, connection } = this.settings
    try {
      return Exit.succeed(await connection.send({ ...step, ...this.next() }))
    } catch (cause) {
      if (!(cause instanceof StatementTimedOut)) return exitOf(libraryError(cause, this.state === undefined, address))
      // Leaves nothing behind if the library runs the statement yet.
      connection.whenSettled(() => this.abandon())
      return Exit.fail(unresponsive("The connection of this transaction does not respond"))
    }
  }

  private next(): Place {
    const { database, identity, known } = this.settings
    const marked = this.isMarked ? ({ marked: true } as const) : {}
    const place = { token: this.token, step: ++this.count, ...marked }
    if (this.state !== undefined) return { ...place, after: this.state }
    const { transaction } = this
    return {
      ...place,
      ...(known.has(identity) ? {} : { database }),
      ...(transaction === undefined ? {} : { transaction })
    }
  }

  /** Ends the call if the transaction still has it, whatever its state. Returns whether it had. */
  private async abandon(): Promise<boolean> {
    const place = { token: this.token, step: ++this.count, after: none, marked: true } as const
    const result = await this.settings.connection.send({ ...place, lockTimeout: 0 })
    return "withdrawn" in result && result.withdrawn === true
  }

  /** Finds out what it means that the last step has thrown. */
  private async unfinished(cause: unknown): Promise<Outcome<void>> {
    const { address, connection } = this.settings
    if (cause instanceof StatementTimedOut) connection.whenSettled(() => this.abandon())
    if (cause instanceof StatementTimedOut || isLost(cause)) return Exit.fail(unknownError(cause))
    // The server has rolled the statement back.
    if (sqlState(cause) !== undefined) return exitOf(libraryError(cause, false, address))
    try {
      if (!(await this.abandon())) return Exit.fail(unknownError(cause))
    } catch {}
    return exitOf(libraryError(cause, false, address))
  }

  private begin(state: string): void {
    this.state = state
    this.settings.known.add(this.settings.identity)
  }

  private async waitForOther(): Promise<boolean> {
    this.deadline ??= performance.now() + this.settings.lockTimeout
    if (performance.now() > this.deadline) return false
    await setTimeout(pauseMillis)
    return true
  }

  private lose(exit: Exit.Exit<never, StorageError>): Exit.Exit<never, StorageError> {
    this.failure = exit
    return exit
  }

  private problemOf(result: StepResult): TypeError {
    if ("database" in result) return new TypeError(otherDatabase(result.database, this.settings.address))
    return "isolation" in result ? wrongLevel(result.isolation) : new TypeError(ended)
  }
}

const exitOf = (error: StorageError | TypeError): Exit.Exit<never, StorageError> =>
  error instanceof TypeError ? Exit.die(error) : Exit.fail(error)
