import { setImmediate } from "node:timers"
import {
  type CommitNotifier,
  describeCommit,
  type GroupMember,
  GroupQueue,
  TransactionCounts
} from "@petstore/core/adapter-toolkit"
import { CommitUnknown, ShuttingDown, StorageUnavailable } from "@petstore/core/domain"
import {
  type Asker,
  type CommandName,
  type Direct,
  type Done,
  direct,
  isBackground,
  type RunCommand,
  type StorageError
} from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { machineClock } from "../connection/busyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import type { DatabaseFiles } from "../connection/DatabaseFiles.ts"
import { commitError, isBusy } from "../connection/errors.ts"
import type { EventLogHead } from "../events/EventLogHead.ts"
import { schemaProblem } from "../schema/migrate.ts"
import { LockTurns } from "../turns/LockTurns.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { ConnectionTransaction } from "./ConnectionTransaction.ts"
import type { DurabilityMonitor } from "./DurabilityMonitor.ts"

/** Transactions that share one commit, however long they take, if this number waits. */
const groupSize = 64
/** For how many milliseconds a group takes more than that: commands block the event loop. */
const groupTimeMillis = 4
/** Transactions that are taken from the queue for a group at most. Few machines run more in its time. */
const largestGroup = 1_024
/** For how many milliseconds a group waits for more members at most. */
const gatherTimeMillis = 2
/** Milliseconds between two looks at how long queued transactions have waited for the lock. */
const deadlineIntervalMillis = 1

/** Settings of a {@link GroupCommit}. */
interface GroupCommitOptions {
  /** Milliseconds that a transaction waits for other processes that write to the file. */
  readonly lockTimeout: number
  readonly files: DatabaseFiles
  /** Records the latest event. */
  readonly head: EventLogHead
  /** Records every commit that changed something, and every one that failed. */
  readonly monitor: DurabilityMonitor
  /** Called before each transaction. */
  readonly beforeBegin: () => void
  /** Called after each commit with the tables that were written to, also if it failed: it may have taken effect. */
  readonly onCommit: (tables: ReadonlySet<string>) => void
  /** Notified after that, with the events that the commit has added if it wants them and they are known. */
  readonly watch: Pick<CommitNotifier, "wantsEvents" | "notify">
}

/** Runs a command in the transaction of a group. */
type Work<A, E> = (group: ConnectionTransaction, asker: Asker) => Exit.Exit<A, E | StorageError>

/** A member of a group, from the call to its result. */
class Member implements GroupMember {
  /** When it stops waiting for the lock; undefined until it waits. */
  deadline: number | undefined
  /** Its result; undefined until it has run. */
  exit: Exit.Exit<unknown, unknown> | undefined
  readonly backgroundSince: number | undefined
  private readonly asker: Asker
  private readonly work: Work<unknown, unknown>
  private readonly respond: Done<unknown, unknown>
  private hasStarted = false
  private isSettled = false

  constructor(
    asker: Asker,
    work: Work<unknown, unknown>,
    respond: Done<unknown, unknown>,
    backgroundSince: number | undefined
  ) {
    this.asker = asker
    this.work = work
    this.respond = respond
    this.backgroundSince = backgroundSince
  }

  /** Whether it is still to be run. */
  get isWaiting(): boolean {
    return this.exit === undefined && !this.isSettled
  }

  run(group: ConnectionTransaction): void {
    this.hasStarted = true
    this.exit = this.work(group, this.asker)
  }

  /** Fails it: nothing of it was committed. */
  fail(reason: StorageError): void {
    this.exit = Exit.fail(reason)
  }

  /** Notes in its span how many transactions share its commit. */
  committed(size: number): void {
    describeCommit(this.asker.services, size)
  }

  /** Returns the result to the caller, if there is one. If the code of the caller throws, other members still get their results. */
  settle(counts: TransactionCounts): void {
    if (this.exit === undefined || this.isSettled) return
    this.isSettled = true
    counts.settled(this.exit)
    try {
      this.respond(this.exit)
    } catch (defect) {
      setImmediate(() => {
        throw defect
      })
    }
  }

  /** Leaves the queue with an interruption, unless it has started. */
  cancel(): void {
    if (this.hasStarted || this.isSettled) return
    this.isSettled = true
    this.respond(Exit.interrupt())
  }
}

/**
 * Runs transactions on the writer. Those that arrive in one turn of the event loop share one `BEGIN IMMEDIATE` and one
 * `COMMIT`, and return after the commit. Rejections too: they were decided on uncommitted changes of the same group.
 *
 * A command that fails has written nothing, so none needs a savepoint. If the database refuses what they write, all is rolled back, and
 * each runs again alone.
 */
export class GroupCommit {
  private readonly writer: Connection
  private readonly lockTimeout: number
  private readonly files: DatabaseFiles
  private readonly head: EventLogHead
  private readonly monitor: DurabilityMonitor
  private readonly beforeBegin: GroupCommitOptions["beforeBegin"]
  /** Changes when another connection commits. */
  private version: unknown
  /** Why this release cannot write to the schema, which only another connection changes. */
  private readonly schemaProblem: () => Error | undefined
  private unfit: Error | undefined
  /** The last id of each table, until another connection commits; undefined if a transaction may have changed it. */
  private lastIds: Map<string, number> | undefined
  private readonly onCommit: GroupCommitOptions["onCommit"]
  private readonly watch: GroupCommitOptions["watch"]
  readonly counts = new TransactionCounts(() => this.queue.length)
  private readonly queue = new GroupQueue<Member>()
  private scheduled = false
  /** How many could be in the group in the last turn in which the group waited for more; 0 if it does not wait. */
  private gathered = 0
  private gatheringSince = 0
  private readonly turns: LockTurns
  private readonly checkpoints: Checkpoints
  private deadlinesCheckedAt = Number.NEGATIVE_INFINITY
  private isClosed = false
  private onIdle = (): void => {}

  constructor(
    writer: Connection,
    { beforeBegin, files, head, monitor, lockTimeout, onCommit, watch }: GroupCommitOptions
  ) {
    this.writer = writer
    this.lockTimeout = lockTimeout
    this.files = files
    this.head = head
    this.turns = new LockTurns(files.database)
    this.checkpoints = new Checkpoints(writer, files)
    this.monitor = monitor
    this.beforeBegin = beforeBegin
    this.schemaProblem = schemaProblem(writer)
    this.onCommit = onCommit
    this.watch = watch
  }

  get closed(): boolean {
    return this.isClosed
  }

  /** Why nothing can be written, without trying: a file of the database was lost. */
  refusal(): StorageError | undefined {
    const problem = this.files.problem()
    return problem && refusalOf(problem)
  }

  readonly runCommand: RunCommand = (begin, command) =>
    this.run((group, asker) => group.runCommand(begin, asker), command)

  /** Runs a transaction; `command`: its name, if it runs a command. */
  run<A, E>(work: Work<A, E>, command?: CommandName): Direct<A, E | StorageError> {
    return direct((asker, done) => {
      // What it ends with is what its work returns.
      const since = isBackground(command) ? machineClock.now() : undefined
      const member = new Member(asker, work, done as Done<unknown, unknown>, since)
      if (this.isClosed) done(Exit.fail(new ShuttingDown({})))
      else {
        this.queue.add(member)
        this.schedule()
      }
      return () => member.cancel()
    })
  }

  /** Accepts no more transactions, and completes when those in the queue have returned. */
  readonly close: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.isClosed = true
    if (!this.scheduled) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  }).pipe(Effect.andThen(Effect.sync(() => this.turns.close())))

  /** `after`: how many members the group just before had. */
  private schedule(after = 0): void {
    if (this.scheduled || this.queue.length === 0) return
    this.scheduled = true
    this.turns.take(this.turn, after)
  }

  private readonly turn = (): void => {
    if (this.isGathering()) {
      setImmediate(this.turn)
      return
    }
    const waiting = this.queue.length
    const ended = this.commitTogether(this.queue.take(largestGroup, machineClock.now()))
    this.scheduled = false
    if (this.queue.length === 0) this.turns.endWait()
    else this.schedule(waiting - this.queue.length)
    for (const member of ended) member.settle(this.counts)
    if (!this.scheduled) this.onIdle()
  }

  /**
   * Whether the group waits for one more turn of the event loop, since members came in the last one: clients of a server send
   * their next commands while it still reads those of others, and a commit for a few of them takes as long as one for all. A member
   * alone never waits, and none does while other processes want the lock.
   */
  private isGathering(): boolean {
    const { ready } = this.queue
    const grows = ready > 1 && ready > this.gathered
    if (grows && this.gathered === 0) this.gatheringSince = machineClock.now()
    const waits = grows && !this.turns.isContended && machineClock.now() - this.gatheringSince < gatherTimeMillis
    this.gathered = waits ? ready : 0
    return waits
  }

  /** Runs the members, and returns those that have a result now. Never throws: nobody could catch it. */
  private commitTogether(members: ReadonlyArray<Member>): ReadonlyArray<Member> {
    try {
      let rest = waitingOf(members)
      let areAlone = false
      while (rest.length > 0) {
        const cause = this.begin()
        if (cause !== undefined) return this.refuse(members, rest, cause)
        const group = new ConnectionTransaction(this.writer, this.lastIds)
        this.lastIds = undefined
        const ran = runMembers(group, areAlone ? rest.slice(0, 1) : rest)
        group.flush()
        if (!areAlone) this.queue.putBack(rest.splice(ran.length))
        if (group.wasRefused && ran.length > 1) {
          for (const member of ran) member.exit = undefined
          areAlone = true
        } else this.end(group, ran)
        rest = waitingOf(rest)
      }
    } catch (cause) {
      const unknown = new CommitUnknown({}, { cause })
      for (const member of members) member.fail(unknown)
    }
    return members
  }

  /** Postpones members for which no transaction has begun, or fails them. */
  private refuse(members: ReadonlyArray<Member>, rest: ReadonlyArray<Member>, cause: unknown): ReadonlyArray<Member> {
    if (isBusy(cause)) return [...members, ...this.postpone(rest, cause)]
    const refusal = this.writer.explain(cause)
    this.monitor.failed(refusal)
    for (const member of rest) member.fail(refusal)
    return members
  }

  /** Returns what was thrown, as it is: while other processes write, most attempts fail, and to explain one costs as much as the attempt. */
  private begin(): unknown {
    const lost = this.files.areLost ? this.refusal() : undefined
    if (lost !== undefined) return lost
    try {
      // A rollback may have failed.
      this.writer.rollback()
      this.beforeBegin()
      this.writer.run("BEGIN IMMEDIATE")
      this.turns.endWait()
      const refusal = this.unwritable()
      if (refusal !== undefined) this.writer.rollback()
      return refusal
    } catch (cause) {
      return cause
    }
  }

  /** Why the transaction that has begun must not write. */
  private unwritable(): StorageUnavailable | undefined {
    const version = this.writer.dataVersion()
    const isAlone = version === this.version
    const lost = this.files.problemOfSizes(isAlone)
    if (lost !== undefined) return refusalOf(lost)
    if (!isAlone) {
      this.unfit = this.schemaProblem()
      this.lastIds = undefined
      this.version = version
    }
    return this.unfit && refusalOf(this.unfit, `The file cannot be written to: ${this.unfit.message}`)
  }

  /** Puts members back into the queue until the lock is free, and returns those that have waited too long. */
  private postpone(members: ReadonlyArray<Member>, cause: unknown): ReadonlyArray<Member> {
    if (this.turns.refused()) this.counts.retried += members.length
    this.queue.putBack(members)
    const time = machineClock.now()
    if (time - this.deadlinesCheckedAt < deadlineIntervalMillis) return []
    this.deadlinesCheckedAt = time
    this.queue.remove(({ isWaiting }) => !isWaiting)
    const late = this.queue.remove((member) => {
      member.deadline ??= time + this.lockTimeout
      return member.deadline <= time
    })
    if (late.length === 0) return late
    const refusal = this.writer.explain(cause)
    for (const member of late) member.fail(refusal)
    return late
  }

  /** Commits what members have done, or fails them. */
  private end(group: ConnectionTransaction, members: ReadonlyArray<Member>): void {
    const { latestEvent } = group
    const added = group.lost === undefined ? group.addedEvents(this.watch.wantsEvents) : undefined
    const areShared = this.turns.isContended
    if (group.lost === undefined) this.commit(group, areShared)
    if (group.lost !== undefined) this.writer.rollback()
    else if (latestEvent !== undefined) this.head.record(latestEvent)
    this.turns.released()
    if (group.lost === undefined) {
      this.lastIds = group.lastIds
      this.checkpoints.afterWaking(areShared)
      if (group.wrote) {
        this.counts.commit(members.length)
        for (const member of members) member.committed(members.length)
        this.monitor.durable()
      }
    } else {
      if (!group.wasRefused) this.monitor.failed(group.lost)
      for (const member of members) member.fail(group.lost)
    }
    this.onCommit(group.tables)
    this.watch.notify(group.lost === undefined ? added : undefined)
  }

  private commit(group: ConnectionTransaction, areShared: boolean): void {
    try {
      this.turns.releasing()
      this.writer.run("COMMIT")
    } catch (cause) {
      group.lose(commitError(cause, this.writer.explain))
      return
    }
    // Before any result is returned: a commit to a file that was deleted is lost.
    const cause = this.files.problemAfterCommit()
    if (cause !== undefined) group.lose(group.wrote ? new CommitUnknown({}, { cause }) : refusalOf(cause))
    this.checkpoints.afterCommit(areShared)
  }
}

const refusalOf = (cause: Error, message?: string): StorageUnavailable =>
  new StorageUnavailable({}, message === undefined ? { cause } : { cause, message })

const waitingOf = (members: ReadonlyArray<Member>): Array<Member> => members.filter(({ isWaiting }) => isWaiting)

/** Runs members in one transaction until its time is over, or up to one that ends it, and returns those that ran. */
const runMembers = (group: ConnectionTransaction, members: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const start = machineClock.now()
  const ran: Array<Member> = []
  for (const member of members) {
    if (group.lost !== undefined || (ran.length >= groupSize && machineClock.now() - start >= groupTimeMillis)) break
    ran.push(member)
    member.run(group)
  }
  return ran
}
