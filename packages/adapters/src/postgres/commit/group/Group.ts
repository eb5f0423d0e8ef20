import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
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
import type { PostgresTransaction } from "../../statements/Statement.ts"
import { Additions } from "./Additions.ts"
import type { ContendedRows } from "./ContendedRows.ts"
import { GroupBody } from "./GroupBody.ts"
import type { GroupStatements } from "./GroupStatements.ts"
import { GroupTables, type IdBlocks } from "./GroupTables.ts"
import type { RowHolder } from "./HeldRow.ts"
import type { LeavingReason } from "./leaving.ts"
import { lockWanted } from "./lockFlight.ts"
import { type Task, TaskRun, type Verdict } from "./Task.ts"
import { additionsOf, type Preparation, writesOf } from "./writeFlight.ts"

/** What a group needs of a connection, whose statements follow one another without waiting. */
export type GroupConnection = Pick<PostgresConnection, "query" | "run" | "sendNow" | "takeWarning" | "break">

const alone: Verdict = { type: "alone", isIrregular: false }

/** How many times a body may run again within its group. */
const maxRestarts = 3

/** How many bodies a group must have for half of what they add to be written while the other half decides. */
const smallestHalf = 16

/** What the groups of a store have in common. */
export interface GroupSettings {
  readonly transactions: OpenTransactions<PostgresTransaction>
  readonly statements: GroupStatements
  readonly ids: IdBlocks
  readonly contended: ContendedRows
  readonly appendEvents: AppendEvents
  /** The statements that begin a transaction. */
  readonly begin: string
}

/**
 * Bodies that share one transaction. Each runs until it needs a row that the group does not hold; when all wait, the group
 * locks those rows in one round trip, and hands each row from body to body. When all have ended, it writes what they changed
 * by one statement for each kind of change, with `COMMIT` behind them in the same flight. When half of many bodies have ended,
 * it writes the rows that these have added, so that the server works while the others decide.
 */
export class Group {
  private readonly settings: GroupSettings
  private readonly connection: GroupConnection
  private readonly waits: boolean
  private readonly tables: GroupTables
  private readonly runs: ReadonlyArray<TaskRun>
  /** Runs whose changes are kept, in the order in which they ended: each saw what those before it changed. */
  private readonly kept = new Set<TaskRun>()
  private readonly additions = new Additions()
  /** What was written before all bodies had ended. */
  private early: ReadonlyArray<Promise<unknown>> = []
  private isHalfWritten = false
  private steps: Array<() => void> = []
  private open = 0
  private hasBegun = false
  private isAbandoned = false
  private hasCommitted = false
  private reason: StorageError | undefined
  private hasNumbered = true

  /** `waits`: whether it waits for rows that other transactions have locked; otherwise tasks that want them run alone. */
  constructor(settings: GroupSettings, connection: GroupConnection, tasks: ReadonlyArray<Task>, waits: boolean) {
    this.settings = settings
    this.connection = connection
    this.waits = waits
    this.tables = new GroupTables(settings.ids, (step) => this.steps.push(step))
    this.runs = tasks.map((task) => new TaskRun(task, new GroupBody(this.tables)))
  }

  /** Whether it committed changes. */
  get committed(): boolean {
    return this.hasCommitted
  }

  /** Why it could not be committed; undefined if it was. */
  get failure(): StorageError | undefined {
    return this.reason
  }

  /** Whether all of its events have their numbers. */
  get numbered(): boolean {
    return this.hasNumbered
  }

  /** Runs the bodies, and commits. Returns what becomes of each task, in their order. */
  async run(): Promise<ReadonlyArray<Verdict>> {
    try {
      for (const run of this.runs) this.startLocked(run)
      while (this.open > 0 || this.tables.isIncomplete) {
        await this.lock()
        this.takeSteps()
      }
    } catch (cause) {
      return this.fail(cause, statementError)
    }
    return this.commit()
  }

  /** Starts a body when it has the row that it locks first, so that it need not stop for that. */
  private startLocked(run: TaskRun): void {
    const { body, task } = run
    if (task.first === undefined) {
      this.start(run)
      return
    }
    this.open++
    this.tables.waitFor(task.first, body, () => {
      this.open--
      if (body.leaves === undefined) this.start(run)
    })
  }

  private start(run: TaskRun): void {
    const { task, body } = run
    this.open++
    task.start(this.settings.transactions, body, (exit) => {
      this.open--
      run.exit = exit
      if (Exit.isSuccess(exit) && body.leaves === undefined) this.kept.add(run)
      else body.undo()
      body.release()
      this.afterLeaving(run)
    })
  }

  /** Starts a body again that has left the group and ended, if it can succeed in it. */
  private afterLeaving(run: TaskRun): void {
    if (run.body.leaves !== "again" || run.restarts === maxRestarts || this.isAbandoned) return
    run.restarts++
    run.body = new GroupBody(this.tables)
    run.exit = undefined
    this.steps.push(() => this.start(run))
  }

  /** Makes a body leave the group. It may have ended by then, before its assumption turned out to be wrong. */
  private readonly leave = (body: RowHolder, reason: LeavingReason): void => {
    body.leave(reason)
    const run = this.runs.find((one) => one.body === body)
    if (run?.exit === undefined) return
    this.kept.delete(run)
    body.undo()
    this.afterLeaving(run)
  }

  /** Runs the steps of bodies that can go on, one after another: nothing that they wait for comes before the first lock. */
  private takeSteps(): void {
    for (let next = 0; next < this.steps.length; next++) {
      this.steps[next]?.()
      if (this.half >= smallestHalf && this.kept.size >= this.half) this.writeEarly()
    }
    this.steps = []
  }

  /** Writes the rows that bodies have added so far, once. What they assumed has proved right by then. */
  private writeEarly(): void {
    if (this.isHalfWritten || this.isAbandoned) return
    this.isHalfWritten = true
    this.collect()
    this.early = this.write(additionsOf(this.settings.statements, this.tables, this.additions))
    // The first of them that fails also fails the next flight.
    for (const written of this.early) written.catch(() => {})
  }

  /** Takes over what bodies that have ended have added. */
  private collect(): void {
    for (const run of this.kept) {
      if (!run.isCollected) this.additions.addAll(run.body.additions)
      run.isCollected = true
    }
  }

  private write(preparations: ReadonlyArray<Preparation>): ReadonlyArray<Promise<unknown>> {
    return preparations.map((prepare, index) => {
      const { text, values } = prepare()
      const written = this.connection.query(text, values)
      if (index === 0 && this.half >= smallestHalf) this.connection.sendNow()
      return written
    })
  }

  private get half(): number {
    return Math.ceil(this.runs.length / 2)
  }

  /** Locks what the bodies wait for. */
  private async lock(): Promise<void> {
    if (!this.tables.isIncomplete) throw new Error("A body of a group waits for a row that nobody will release.")
    const { connection, leave, tables } = this
    const begun = this.begin()
    const flight = {
      connection,
      statements: this.settings.statements,
      tables,
      waits: this.waits && tables.isUnlocked,
      leave,
      contended: this.settings.contended,
      notesContended: !this.waits
    }
    await Promise.all([...begun, ...this.early, lockWanted(flight)])
  }

  private begin(): ReadonlyArray<Promise<unknown>> {
    if (this.hasBegun) return []
    this.hasBegun = true
    return [this.connection.run(this.settings.begin)]
  }

  private async commit(): Promise<ReadonlyArray<Verdict>> {
    const { connection } = this
    this.collect()
    const writes = writesOf(this.settings.statements, this.tables, this.additions)
    const { events } = this.additions
    const wrote = this.early.length + writes.length + events.length > 0
    if (!this.hasBegun && !wrote) return this.results()
    connection.takeWarning()
    const begun = this.begin()
    const written = this.write(writes)
    const appended = events.length === 0 ? true : this.settings.appendEvents(connection, events)
    const committed = connection.run("COMMIT")
    try {
      const [numbered, { command }] = await Promise.all([appended, committed, ...begun, ...this.early, ...written])
      this.hasNumbered = numbered
      if (command !== "COMMIT") return this.runs.map(() => alone)
    } catch (cause) {
      return this.fail(cause, wrote ? commitError : statementError)
    }
    const warning = connection.takeWarning()
    if (warning === undefined) {
      this.hasCommitted = wrote
      return this.results()
    }
    // The wait for a standby was cancelled: the transaction is committed here, and may be lost if the standby takes over. So
    // may be what it has read: the stored result of a call that is repeated, for example.
    connection.break()
    this.forgetIds()
    this.reason = new CommitUnknown({}, { cause: new Error(warning) })
    return this.lose(this.reason)
  }

  /** The results of bodies that ended in the group. */
  private results(): ReadonlyArray<Verdict> {
    return this.runs.map(({ body, exit }) =>
      body.leaves === undefined && exit !== undefined
        ? { type: "result", exit }
        : { type: "alone", isIrregular: body.leaves === "irregular" }
    )
  }

  /** Rolls back, and decides whether the tasks run again: alone, if one of them may be the cause. */
  private async fail(cause: unknown, errorOf: (cause: unknown) => StorageError): Promise<ReadonlyArray<Verdict>> {
    this.abandon()
    this.forgetIds()
    const error = errorOf(cause)
    this.reason = error
    if (isConnectionLoss(cause)) this.connection.break()
    else await this.connection.run("ROLLBACK").catch(() => this.connection.break())
    if (error instanceof CommitUnknown) return this.lose(error)
    if (isResourceShortage(cause)) return this.runs.map(() => ({ type: "result", exit: Exit.fail(error) }))
    const mayEndOtherwise = isConflict(cause) || isConnectionLoss(cause) || isLockTimeout(cause)
    return this.runs.map(() => (mayEndOtherwise ? { type: "again" } : alone))
  }

  /** The verdicts after a commit with an unknown outcome. Of a body that wrote nothing, nothing can be stored. */
  private lose(error: CommitUnknown): ReadonlyArray<Verdict> {
    return this.runs.map((run) => {
      if (run.body.leaves !== undefined || !this.kept.has(run)) return { type: "again" }
      return run.body.wrote ? { type: "result", exit: Exit.fail(error) } : { type: "again" }
    })
  }

  private forgetIds(): void {
    for (const block of Object.values(this.settings.ids)) block.clear()
  }

  /** Ends the bodies that wait. */
  private abandon(): void {
    this.isAbandoned = true
    this.tables.petIds.abandon()
    this.tables.orderIds.abandon()
    this.tables.refuseAll((body) => body.leave("again"))
    this.takeSteps()
  }
}
