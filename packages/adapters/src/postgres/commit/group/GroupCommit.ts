import { describeCommit, type GroupMember, GroupQueue, type TransactionCounts } from "@petstore/core/adapter-toolkit"
import { ShuttingDown, StorageBusy } from "@petstore/core/domain"
import type { FailureOf, Yielded } from "@petstore/core/kernel"
import {
  type Asker,
  ask,
  type BeginCommand,
  type CommandName,
  type Direct,
  type Done,
  direct,
  isBackground,
  type StorageError
} from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { soon } from "../../../sql/soon.ts"
import type { ConnectionPool } from "../../connection/ConnectionPool.ts"
import { statementError } from "../../connection/errors.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import { Group, type GroupSettings, type Verdict } from "./Group.ts"
import type { Begin, HeldRows } from "./HeldRows.ts"

/** The most transactions that share one commit. */
const largestGroup = 128
/** How many times a transaction runs in a group that the server ends, before it runs alone. */
const maxAttempts = 2

/** A transaction, from the call to its result. */
interface Member extends GroupMember {
  readonly asker: Asker
  readonly begin: Begin
  state: "queued" | "running" | "settled"
  attempts: number
  /** When its caller should have a result, as `performance.now()`. */
  readonly deadline: number
  readonly command: CommandName | undefined
  /** Runs the command in a transaction of its own. */
  readonly alone: () => Effect.Effect<unknown, unknown>
  readonly settle: Done<unknown, unknown>
}

/** Runs a command as a transaction, until a time of `performance.now()`. */
export type RunUntil = <Y extends Yielded, A>(
  begin: BeginCommand<Y, A>,
  deadline?: number
) => Effect.Effect<A, FailureOf<Y> | StorageError>

/** What a {@link GroupCommit} needs. */
interface GroupCommitOptions extends GroupSettings {
  readonly pool: Pick<ConnectionPool, "take" | "give">
  readonly counts: TransactionCounts
  /** How many groups run at once. */
  readonly parallel: number
  /** Milliseconds that a transaction may take in all. */
  readonly timeout: number
  /** Runs a transaction that is not for a group. */
  readonly alone: RunUntil
  /** Called after a commit that changed something, with whether its events have their numbers. */
  readonly committed: (numbered: boolean) => void
  /** Called when a transaction could not be committed. */
  readonly failed: (error: StorageError) => void
}

/**
 * Runs commands in groups, which share one connection, one `COMMIT` and a few statements for all of them. Those that
 * arrive in one turn of the event loop, or while the groups before them run, form the next group. Results are returned after
 * the commit, rejections too: they were decided on uncommitted changes of the same group.
 */
export class GroupCommit {
  private readonly options: GroupCommitOptions
  private readonly queue = new GroupQueue<Member>()
  /** Commands that did what groups cannot do, and will do it again. */
  private readonly irregular = new Set<CommandName>()
  private isScheduled = false
  private running = 0
  private unsettled = 0
  private isClosed = false
  private onIdle = (): void => {}

  constructor(options: GroupCommitOptions) {
    this.options = options
  }

  /** How many transactions wait for the next group. */
  get waiting(): number {
    return this.queue.length
  }

  run<Y extends Yielded, A>(begin: BeginCommand<Y, A>, command?: CommandName): Direct<A, FailureOf<Y> | StorageError> {
    return direct((asker, done) => {
      const { alone, timeout } = this.options
      if (this.isClosed) return ask(Exit.fail(new ShuttingDown({})), asker, done)
      if (command !== undefined && this.irregular.has(command)) return ask(alone(begin), asker, done)
      const deadline = performance.now() + timeout
      const member: Member = {
        asker,
        begin: (transaction) => {
          asker.onStart()
          return begin(transaction, asker.services)
        },
        alone: () => alone(begin, deadline),
        command,
        backgroundSince: isBackground(command) ? performance.now() : undefined,
        state: "queued",
        attempts: 0,
        deadline,
        settle: (exit) => {
          member.state = "settled"
          // A member has no types; its result is that of the command.
          done(exit as Exit.Exit<A, FailureOf<Y> | StorageError>)
          this.ended()
        }
      }
      this.unsettled++
      this.queue.add(member)
      this.schedule()
      return () => {
        if (member.state === "queued") this.withdraw(member)
      }
    })
  }

  /** Accepts no more transactions, and completes when those that have begun have returned. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.isClosed = true
    if (this.unsettled === 0) return resume(Effect.void)
    this.onIdle = () => resume(Effect.void)
  })

  private withdraw(member: Member): void {
    // A group that still waits for its connection begins without it.
    this.queue.remove((one) => one === member)
    member.settle(Exit.interrupt())
  }

  private ended(): void {
    this.unsettled--
    if (this.unsettled === 0) this.onIdle()
  }

  private schedule(): void {
    if (this.isScheduled || this.queue.length === 0 || this.running === this.options.parallel) return
    this.isScheduled = true
    // Not a microtask: callers from sockets arrive one by one within the same turn.
    soon(() => {
      this.isScheduled = false
      this.startGroup()
      this.schedule()
    })
  }

  private startGroup(): void {
    const waiting = this.queue.take(largestGroup, performance.now(), this.options.parallel - this.running)
    if (waiting.length === 0) return
    this.running++
    this.runGroup(waiting).then((again) => {
      this.running--
      for (const member of again) member.state = "queued"
      this.queue.putBack(again)
      this.schedule()
    })
  }

  /** Runs those that still wait when there is a connection. Returns those that go back to the queue. */
  private async runGroup(waiting: ReadonlyArray<Member>): Promise<ReadonlyArray<Member>> {
    const { pool } = this.options
    let members: ReadonlyArray<Member> = []
    const begin = (): void => {
      members = waiting.filter(({ state }) => state === "queued")
      for (const member of members) member.state = "running"
    }
    let verdicts: ReadonlyArray<Verdict> = []
    try {
      const connection = await pool.take(this.deadlineOf(waiting)).finally(begin)
      if (members.length > 0) verdicts = await this.runOn(connection, members)
      else pool.give(connection)
    } catch (cause) {
      verdicts = members.map(() => ({ type: "result", exit: Exit.fail(statementError(cause)) }))
    }
    return members.filter((member, index) => this.carryOut(member, verdicts[index]))
  }

  /** Runs a group, and gives the connection back. */
  private async runOn(
    connection: PostgresConnection,
    members: ReadonlyArray<Member>,
    doubt?: HeldRows
  ): Promise<ReadonlyArray<Verdict>> {
    const { committed, counts, failed, pool } = this.options
    const waits = members.every(({ attempts }) => attempts === 0)
    connection.expire(this.deadlineOf(members))
    const group = new Group(
      this.options,
      connection,
      members.map(({ begin }) => begin),
      waits,
      doubt
    )
    const verdicts = await group.run().finally(() => pool.give(connection))
    if (group.committed) {
      const size = verdicts.filter(({ type }) => type === "result").length
      counts.commit(size)
      for (const { asker } of members) describeCommit(asker.services, size)
      committed(group.numbered)
    }
    if (group.failure !== undefined) failed(group.failure)
    return group.inDoubt === undefined ? verdicts : this.resolve(members, verdicts, group.inDoubt)
  }

  /** Runs a command again that was lost in its only flight, on another connection. Its outcome stays unknown if that does not prove that it was not written. */
  private async resolve(
    members: ReadonlyArray<Member>,
    unknown: ReadonlyArray<Verdict>,
    doubt: HeldRows
  ): Promise<ReadonlyArray<Verdict>> {
    const { counts, pool } = this.options
    if (members.some(({ deadline }) => performance.now() >= deadline)) return unknown
    try {
      const connection = await pool.take(this.deadlineOf(members))
      counts.retried++
      const verdicts = await this.runOn(connection, members, doubt)
      return verdicts.every(({ type }) => type === "result") ? verdicts : unknown
    } catch {
      return unknown
    }
  }

  /** When the server must have answered. Those that have waited for long do not take the time of the others. */
  private deadlineOf(members: ReadonlyArray<Member>): number {
    const earliest = Math.min(...members.map(({ deadline }) => deadline))
    return Math.max(earliest, performance.now() + this.options.timeout / 2)
  }

  /** Carries out the verdict on a transaction. Returns whether it goes back to the queue. */
  private carryOut(member: Member, verdict: Verdict | undefined): boolean {
    if (verdict?.type === "result") {
      settle(member, verdict.exit)
      return false
    }
    if (performance.now() >= member.deadline) {
      settle(member, Exit.fail(new StorageBusy({}, { cause: new Error("The database did not answer in time") })))
      return false
    }
    member.attempts++
    this.options.counts.retried++
    if (verdict?.type === "again" && member.attempts < maxAttempts) return true
    if (verdict?.type === "alone" && verdict.isIrregular && member.command !== undefined) {
      this.irregular.add(member.command)
    }
    ask(member.alone(), member.asker, (exit) => settle(member, exit))
    return false
  }
}

/** Settles a transaction. If the code of its caller throws, the others still get their results. */
const settle = (member: Member, exit: Exit.Exit<unknown, unknown>): void => {
  try {
    member.settle(exit)
  } catch (defect) {
    soon(() => {
      throw defect
    })
  }
}
