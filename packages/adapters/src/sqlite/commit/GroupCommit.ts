import { setImmediate, setTimeout } from "node:timers"
import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import { CommitUnknown, ShuttingDown, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { now, pause } from "../connection/busyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import type { DatabaseFiles } from "../connection/DatabaseFiles.ts"
import { commitError } from "../connection/errors.ts"
import type { SqliteTransaction } from "../statements/Statement.ts"
import { ConnectionTransaction } from "./ConnectionTransaction.ts"
import type { DurabilityMonitor } from "./DurabilityMonitor.ts"

/** Transactions that share one commit. More would hold up everything else in the event loop for little gain. */
const groupSize = 64
/** Turns of the event loop from one group to the next of a long queue: Node.js accepts one connection in each turn. */
const turnsBetween = 16
/** After how many milliseconds of such turns the next group runs anyway. */
const timeBetween = 5

/** One transaction, from the call to the answer. */
interface Member {
  state: "queued" | "running" | "settled"
  /** When it gives up waiting for the lock; unknown until it waits. */
  deadline: number | undefined
  readonly run: (group: ConnectionTransaction) => void
  /** Nothing of it is left, for this reason. */
  readonly fail: (reason: StorageError) => void
  /** Answers the caller, if there is an answer. */
  readonly settle: () => void
}

/** What transactions need beside the writer. */
export interface GroupCommitOptions {
  /** How many milliseconds a transaction waits for other processes that write to the file. */
  readonly lockTimeout: number
  readonly files: DatabaseFiles
  /** What learns of every commit that changed something, and of every one that failed. */
  readonly monitor: DurabilityMonitor
  readonly onCommit: () => void
}

/**
 * Runs transactions on the writer. Those that are asked for in one turn of the event loop share one `BEGIN IMMEDIATE`
 * and one `COMMIT`, each in a savepoint of its own, and are answered after the commit; refusals too, because they were
 * decided on what their neighbours had not committed yet.
 */
export class GroupCommit {
  private readonly writer: Connection
  private readonly transactions: OpenTransactions<SqliteTransaction>
  private readonly lockTimeout: number
  private readonly files: DatabaseFiles
  private readonly monitor: DurabilityMonitor
  private readonly onCommit: () => void
  private queue: Array<Member> = []
  private scheduled = false
  /** How often in a row another process held the lock. */
  private refusals = 0
  /** Whether a file was found deleted or replaced. */
  private filesLost = false
  private isClosed = false
  private onIdle = (): void => {}

  constructor(
    writer: Connection,
    transactions: OpenTransactions<SqliteTransaction>,
    { files, monitor, lockTimeout, onCommit }: GroupCommitOptions
  ) {
    this.writer = writer
    this.transactions = transactions
    this.lockTimeout = lockTimeout
    this.files = files
    this.monitor = monitor
    this.onCommit = onCommit
  }

  get closed(): boolean {
    return this.isClosed
  }

  /** Why nothing can be written, before it is tried: a file of the database was deleted or replaced. */
  refusal(): StorageError | undefined {
    const cause = this.files.problem()
    this.filesLost = cause !== undefined
    return cause === undefined ? undefined : new StorageUnavailable({}, { cause })
  }

  /** Runs a body as a transaction, with the services of its caller. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return Effect.callback((resume) => {
      if (this.isClosed) return resume(Exit.fail(new ShuttingDown({})))
      let exit: Exit.Exit<A, E | StorageError> | undefined
      let answer: (exit: Exit.Exit<A, E | StorageError>) => void = resume
      const member: Member = {
        state: "queued",
        deadline: undefined,
        run: (group) => {
          member.state = "running"
          exit = group.run(context, body)
        },
        fail: (reason) => {
          exit = Exit.fail(reason)
        },
        settle: () => {
          if (exit === undefined) return
          member.state = "settled"
          answer(exit)
        }
      }
      this.enqueue(member)
      // An answer that is an interruption arrives here too, settled.
      return Effect.callback<void>((done) => {
        if (member.state === "running") {
          answer = () => done(Effect.void)
        } else {
          member.state = "settled"
          done(Effect.void)
        }
      })
    })
  }

  /** Takes no more transactions, and completes when those in the queue are answered. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.isClosed = true
    if (!this.scheduled) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  })

  private enqueue(member: Member): void {
    this.queue.push(member)
    this.schedule()
  }

  private schedule(turns = 1): void {
    if (this.scheduled || this.queue.length === 0) return
    this.scheduled = true
    // Not a microtask: callers that arrive through sockets come one by one within the same turn.
    if (this.refusals === 0) afterTurns(turns, this.turn)
    else setTimeout(this.turn, pause(this.refusals))
  }

  private readonly turn = (): void => {
    const group = this.queue.splice(0, groupSize)
    const answered = this.commitTogether(group)
    this.scheduled = false
    this.schedule(turnsBetween)
    for (const member of answered) settle(member)
    if (!this.scheduled) this.onIdle()
  }

  /** Runs the members to their ends, and says who has an answer now. */
  private commitTogether(members: ReadonlyArray<Member>): ReadonlyArray<Member> {
    let rest = members
    while (rest.length > 0) {
      const refusal = this.begin()
      if (refusal instanceof StorageBusy) return [...members, ...this.postpone(rest, refusal)]
      if (refusal !== undefined) {
        this.monitor.failed(refusal)
        for (const member of rest) member.fail(refusal)
        return members
      }
      rest = this.runUntilCommit(rest)
    }
    return members
  }

  private begin(): StorageError | undefined {
    const lost = this.filesLost ? this.refusal() : undefined
    if (lost !== undefined) return lost
    try {
      this.writer.run("BEGIN IMMEDIATE")
      this.refusals = 0
    } catch (cause) {
      return this.writer.explain(cause)
    }
  }

  /** Puts members back into the queue until the lock is free, and says who has waited too long. */
  private postpone(members: ReadonlyArray<Member>, refusal: StorageBusy): ReadonlyArray<Member> {
    this.refusals++
    const time = now()
    const waiting = [...members, ...this.queue].filter((member) => member.state === "queued")
    for (const member of waiting) member.deadline ??= time + this.lockTimeout
    const late = waiting.filter(({ deadline = time }) => deadline <= time)
    for (const member of late) member.fail(refusal)
    this.queue = waiting.filter((member) => !late.includes(member))
    return late
  }

  /** Runs members in one transaction and commits it; those behind one that ended it early are left to be run again. */
  private runUntilCommit(members: ReadonlyArray<Member>): ReadonlyArray<Member> {
    const group = new ConnectionTransaction(this.writer, this.transactions)
    const ran: Array<Member> = []
    for (const member of members) {
      if (group.lost !== undefined) break
      ran.push(member)
      if (member.state === "queued") member.run(group)
    }
    if (group.lost === undefined) this.commit(group)
    if (group.lost === undefined) {
      if (group.wrote) this.monitor.durable()
      this.onCommit()
    } else {
      this.monitor.failed(group.lost)
      this.writer.rollback()
      for (const member of ran) member.fail(group.lost)
    }
    return members.slice(ran.length)
  }

  private commit(group: ConnectionTransaction): void {
    try {
      this.writer.run("COMMIT")
    } catch (cause) {
      group.lose(commitError(cause, this.writer.explain))
      return
    }
    // Before anybody is answered: a commit to a file that nobody will find is no commit.
    const lost = this.refusal()
    if (lost !== undefined) group.lose(group.wrote ? new CommitUnknown({}, { cause: lost.cause }) : lost)
  }
}

/** Runs a task after so many turns of the event loop, or in the first one after a while. */
const afterTurns = (turns: number, task: () => void, start = now()): void => {
  setImmediate(() => {
    if (turns > 1 && now() - start < timeBetween) afterTurns(turns - 1, task, start)
    else task()
  })
}

/** Answers a member. Should the code behind it throw, the other members still hear theirs. */
const settle = (member: Member): void => {
  try {
    member.settle()
  } catch (defect) {
    setImmediate(() => {
      throw defect
    })
  }
}
