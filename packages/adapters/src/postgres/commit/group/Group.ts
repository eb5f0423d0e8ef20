import { CommitUnknown } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import {
  commitError,
  isConflict,
  isConnectionLoss,
  isLockTimeout,
  isResourceShortage,
  statementError
} from "../../connection/errors.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import type { AppendEvents } from "../../events/appendEvents.ts"
import type { ContendedRows } from "./ContendedRows.ts"
import type { GroupStatements } from "./GroupStatements.ts"
import type { GuessedWrites } from "./GuessedWrites.ts"
import { type Begin, type Ended, HeldRows, type IdBlocks, type Stop } from "./HeldRows.ts"
import type { KnownRows } from "./KnownRows.ts"
import { lockRows } from "./lockRows.ts"
import { type Preparation, writesOf } from "./writeRows.ts"

/** What a group needs of a connection, whose statements follow one another without waiting. */
export type GroupConnection = Pick<
  PostgresConnection,
  "query" | "run" | "sendNow" | "takeWarning" | "break" | "lastResult"
>

/** What becomes of a command: its result; or nothing of it is stored and it has to run again, in a group or alone. */
export type Verdict =
  | { readonly type: "result"; readonly exit: Exit.Exit<unknown, unknown> }
  | { readonly type: "again" }
  | { readonly type: "alone"; readonly isIrregular: boolean }

const alone: Verdict = { type: "alone", isIrregular: false }

/** How many commands a group must have for the server to begin to write while the process prepares the rest. */
const manyCommands = 31

/** What the groups of a store have in common. */
export interface GroupSettings {
  readonly statements: GroupStatements
  readonly ids: IdBlocks
  readonly contended: ContendedRows
  readonly appendEvents: AppendEvents
  /** The statements that begin a transaction. */
  readonly begin: string
  /** What lets lone commands be written in one flight; undefined if each transaction has to begin with settings. */
  readonly guessing: { readonly known: KnownRows; readonly writes: GuessedWrites } | undefined
}

/** Milliseconds since the last result in which a connection counts as alive. On one that hangs, a command that locks first can run again. */
const aliveForMillis = 1_000

/** A command in a group, with what its last run came to. */
interface Run {
  readonly begin: Begin
  outcome: Ended | Stop
}

/**
 * Commands that share one transaction. They run one after another in memory. One that misses a row stops; when all have ended or
 * stopped, the group locks the missing rows in one round trip, and those that had stopped run again from their start, which costs
 * less than to suspend them. What they have changed is written by one statement for each kind of change, with `COMMIT` behind them
 * in the same flight.
 *
 * One group at a time: two at once halve each other. To lock for the next one meanwhile, to send inserts while others decide, and one statement for
 * all inserts gained nothing when they were measured.
 */
export class Group {
  private readonly settings: GroupSettings
  private readonly connection: GroupConnection
  private readonly waits: boolean
  private held: HeldRows
  private readonly runs: ReadonlyArray<Run>
  private hasBegun = false
  private hasCommitted = false
  private reason: StorageError | undefined
  private hasNumbered = true
  private lostGuesses: HeldRows | undefined
  private readonly doubt: HeldRows | undefined

  /**
   * `waits`: whether it waits for rows that other transactions have locked; otherwise commands that want them run alone.
   * `doubt`: what its command was written on in a flight that was lost. It runs again if that is not written, and never will be.
   */
  constructor(
    settings: GroupSettings,
    connection: GroupConnection,
    commands: ReadonlyArray<Begin>,
    waits: boolean,
    doubt?: HeldRows
  ) {
    this.doubt = doubt
    this.settings = settings
    this.connection = connection
    this.waits = waits
    this.held = new HeldRows(settings.ids, this.knownFor(commands))
    this.runs = commands.map((begin) => ({ begin, outcome: "missing" }))
  }

  get committed(): boolean {
    return this.hasCommitted
  }

  /** Why it could not be committed; undefined if it was. */
  get failure(): StorageError | undefined {
    return this.reason
  }

  get numbered(): boolean {
    return this.hasNumbered
  }

  /** What its command was written on, if the connection was lost meanwhile. */
  get inDoubt(): HeldRows | undefined {
    return this.lostGuesses
  }

  /** Runs the commands, and commits. Returns what becomes of each, in their order. */
  async run(): Promise<ReadonlyArray<Verdict>> {
    let stopped = this.advance(this.runs)
    if (this.held.isGuessing) {
      if (stopped.length > 0) this.held.stopGuessing()
      else {
        const written = await this.writeGuessed()
        if (written !== undefined) return written
        stopped = this.advance(this.runs)
      }
    }
    try {
      for (; stopped.length > 0; stopped = this.advance(stopped)) await this.lock()
    } catch (cause) {
      return this.fail(cause, statementError)
    }
    return this.commit()
  }

  /** The rows that a lone command guesses, if it does. */
  private knownFor(commands: ReadonlyArray<Begin>): KnownRows | undefined {
    const { guessing } = this.settings
    if (guessing === undefined || commands.length > 1 || !this.waits || this.doubt !== undefined) return undefined
    if (performance.now() - this.connection.lastResult > aliveForMillis) return undefined
    return guessing.known.guesses() ? guessing.known : undefined
  }

  /** Writes what a command has made of guessed rows, in one flight. Returns undefined, with nothing written, if one of them has changed. */
  private async writeGuessed(): Promise<ReadonlyArray<Verdict> | undefined> {
    const { connection, held, settings } = this
    const [outcome] = this.runs.map((member) => member.outcome)
    const isWritten = typeof outcome === "object" && outcome.wrote
    const statement = isWritten ? settings.guessing?.writes.of(held) : undefined
    const known = settings.guessing?.known
    try {
      if (statement !== undefined) {
        connection.takeWarning()
        const { rows } = await connection.query(statement.text, statement.values)
        known?.proved(rows[0]?.guessed === true)
        if (rows[0]?.guessed === true) return this.committedWith(true, rows[0].numbered === true)
      }
    } catch (cause) {
      // What else the server rejects is found out in the usual way.
      if (isConnectionLoss(cause)) {
        this.lostGuesses = held
        return this.fail(cause, commitError)
      }
    }
    this.held.giveBackIds()
    this.held = new HeldRows(settings.ids)
  }

  /** Runs commands from their start, one after another. Returns those for which the group has to lock rows. */
  private advance(runs: ReadonlyArray<Run>): ReadonlyArray<Run> {
    return runs.filter((member) => {
      member.outcome = this.held.run(member.begin)
      return member.outcome === "missing"
    })
  }

  private write(preparations: ReadonlyArray<Preparation>): ReadonlyArray<Promise<unknown>> {
    return preparations.flatMap((prepare, index) => {
      const prepared = prepare()
      if (prepared === undefined) return []
      const written = this.connection.query(prepared.text, prepared.values)
      if (index === 0 && this.runs.length >= manyCommands) this.connection.sendNow()
      return [written]
    })
  }

  /** Locks what the commands miss. */
  private async lock(): Promise<void> {
    const { connection, settings, waits } = this
    const locking = {
      connection,
      statements: settings.statements,
      contended: settings.contended,
      waits: waits && !this.hasBegun,
      notesContended: !waits
    }
    await Promise.all([...this.begin(), lockRows(this.held, locking)])
  }

  private begin(): ReadonlyArray<Promise<unknown>> {
    if (this.hasBegun) return []
    this.hasBegun = true
    return [this.connection.run(this.settings.begin)]
  }

  private async commit(): Promise<ReadonlyArray<Verdict>> {
    const { connection, settings } = this
    const writes = writesOf(settings.statements, this.held)
    const { events } = this.held
    const wrote = writes.length + events.length > 0
    if (this.doubt !== undefined && !this.held.fences(this.doubt)) {
      await connection.run("ROLLBACK").catch(() => connection.break())
      return this.runs.map(() => alone)
    }
    if (!this.hasBegun && !wrote) return this.results()
    connection.takeWarning()
    const begun = this.begin()
    const written = this.write(writes)
    const appended = events.length === 0 ? true : settings.appendEvents(connection, events)
    const committed = connection.run("COMMIT")
    try {
      const [numbered, { command }] = await Promise.all([appended, committed, ...begun, ...written])
      if (command !== "COMMIT") return this.runs.map(() => alone)
      return this.committedWith(wrote, numbered)
    } catch (cause) {
      return this.fail(cause, wrote ? commitError : statementError)
    }
  }

  /** The verdicts after the commit. */
  private committedWith(wrote: boolean, numbered: boolean): ReadonlyArray<Verdict> {
    const { connection, settings } = this
    const warning = connection.takeWarning()
    if (warning === undefined) {
      this.hasCommitted = wrote
      this.hasNumbered = numbered
      settings.guessing?.known.note(this.held.tables, this.runs.length)
      return this.results()
    }
    // The wait for a standby was cancelled: the transaction is committed here, and may be lost if the standby takes over. So
    // may be what it has read: the stored result of a call that is repeated, for example.
    connection.break()
    this.forgetIds()
    this.reason = new CommitUnknown({}, { cause: new Error(warning) })
    return this.lose(this.reason)
  }

  /** The results of commands that ended in the group. */
  private results(): ReadonlyArray<Verdict> {
    return this.runs.map(({ outcome }) =>
      typeof outcome === "object"
        ? { type: "result", exit: outcome.exit }
        : { type: "alone", isIrregular: outcome === "irregular" }
    )
  }

  /** Rolls back, and decides whether the commands run again: alone, if one of them may be the cause. */
  private async fail(cause: unknown, errorOf: (cause: unknown) => StorageError): Promise<ReadonlyArray<Verdict>> {
    this.forgetIds()
    const error = errorOf(cause)
    this.reason = error
    if (isConnectionLoss(cause)) this.connection.break()
    else await this.connection.run("ROLLBACK").catch(() => this.connection.break())
    if (error instanceof CommitUnknown) return this.lose(error)
    // What is in doubt may be stored all the same.
    if (isResourceShortage(cause) && this.doubt === undefined)
      return this.runs.map(() => ({ type: "result", exit: Exit.fail(error) }))
    const mayEndOtherwise = isConflict(cause) || isConnectionLoss(cause) || isLockTimeout(cause)
    return this.runs.map(() => (mayEndOtherwise ? { type: "again" } : alone))
  }

  /** The verdicts after a commit with an unknown outcome. Of a command that wrote nothing, nothing can be stored. */
  private lose(error: CommitUnknown): ReadonlyArray<Verdict> {
    return this.runs.map(({ outcome }) =>
      typeof outcome === "object" && outcome.wrote ? { type: "result", exit: Exit.fail(error) } : { type: "again" }
    )
  }

  private forgetIds(): void {
    for (const block of Object.values(this.settings.ids)) block.clear()
  }
}
