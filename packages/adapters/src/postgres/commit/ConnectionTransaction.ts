import { CommitUnknown, InternalError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import { commitError, isConnectionLoss, statementError } from "../connection/errors.ts"
import type { Parameter, PostgresConnection, Result } from "../connection/PostgresConnection.ts"
import { type AppendEvents, type UnnumberedEvent, unnumbered } from "../events/appendEvents.ts"
import type { Changes } from "../statements/changes.ts"
import type { PostgresTransaction, Statement } from "../statements/Statement.ts"
import { claimName } from "./claimName.ts"

/** A transaction that is open on one connection. */
export class ConnectionTransaction implements PostgresTransaction {
  readonly connection: PostgresConnection
  readonly division = "together"
  private readonly appendEvents: AppendEvents
  private events: Array<UnnumberedEvent> = []
  private failure: unknown
  private hasWritten = false
  private hasNumbered = true

  /** Sends `begin`, and does not wait for its result: the first statement does. */
  constructor(connection: PostgresConnection, begin: string, appendEvents: AppendEvents) {
    this.connection = connection
    this.appendEvents = appendEvents
    connection.run(begin).catch((cause) => {
      // What was sent behind it is no transaction. A standby does not begin one that may write.
      connection.break()
      this.lose(isConnectionLoss(cause) ? cause : new StorageUnavailable({}, { cause }))
    })
  }

  /** What the engine threw, so that the transaction cannot be committed; undefined as long as it can. */
  get lost(): unknown {
    return this.failure
  }

  /** Whether anything was written. */
  get wrote(): boolean {
    return this.hasWritten || this.events.length > 0
  }

  /** Whether all of its events have their numbers, after the commit. */
  get numbered(): boolean {
    return this.hasNumbered
  }

  lose(cause: unknown): void {
    this.failure ??= cause
  }

  async execute<A>(
    { decode, text, use }: Statement<A>,
    values: ReadonlyArray<Parameter>
  ): Promise<Exit.Exit<A, StorageError>> {
    return Exit.map(await this.query(text, values, use === "write"), decode)
  }

  claim(name: string): Promise<Exit.Exit<boolean, StorageError>> {
    return claimName((text, values) => this.query(text, values, false), name)
  }

  /** Sends all statements without waiting for each. */
  async write({ events, statements }: Changes): Promise<Exit.Exit<void, StorageError>> {
    this.events.push(...events.map(unnumbered))
    await Promise.all(statements.map(({ text, values }) => this.query(text, values, true)))
    return this.failure === undefined ? Exit.void : this.failed
  }

  /** Runs a statement. An error of the server ends all of the transaction. */
  async query(
    text: string,
    values: ReadonlyArray<Parameter>,
    writes: boolean
  ): Promise<Exit.Exit<Result, StorageError>> {
    if (this.failure !== undefined) return this.failed
    try {
      const result = await this.connection.query(text, values)
      if (writes) this.hasWritten = true
      return Exit.succeed(result)
    } catch (cause) {
      this.lose(cause)
      return this.failed
    }
  }

  /** Commits, and returns undefined; or the error that prevented it. */
  async commit(): Promise<StorageError | undefined> {
    if (this.failure === undefined) {
      this.connection.takeWarning()
      const appended = this.events.length === 0 ? undefined : this.appendEvents(this.connection, this.events)
      const committed = this.connection.run("COMMIT")
      try {
        const [numbered, { command }] = await Promise.all([appended, committed])
        this.hasNumbered = numbered ?? true
        const warning = this.connection.takeWarning()
        if (command !== "COMMIT") return new InternalError({}, { cause: new Error(`COMMIT returned ${command}`) })
        if (warning === undefined) return undefined
        // Committed, but perhaps here alone. What it has read is as uncertain: the result of a call that is repeated, for example.
        this.connection.break()
        const cause = new Error(warning)
        return this.wrote ? new CommitUnknown({}, { cause }) : new StorageBusy({}, { cause })
      } catch (cause) {
        await committed.catch(() => {})
        this.lose(cause)
        return this.wrote ? commitError(cause) : statementError(cause)
      }
    }
    await this.rollback()
    return statementError(this.failure)
  }

  async rollback(): Promise<void> {
    await this.connection.run("ROLLBACK").catch(() => this.connection.break())
  }

  private get failed(): Exit.Exit<never, StorageError> {
    return Exit.fail(statementError(this.failure))
  }
}
