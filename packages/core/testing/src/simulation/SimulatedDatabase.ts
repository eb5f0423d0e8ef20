import type { StorageAdapter } from "@petstore/core"
import { memory } from "@petstore/core"
import { OpenTransactions, runBody, StorageCalls, TransactionCounts } from "@petstore/core/adapter-toolkit"
import { CommitUnknown, InternalError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import { query, type Table, type Write } from "@petstore/core/engine"
import { Storage, type StorageError, type Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { locksMissing, rowName, tableNamed, uniqueNameOf } from "../explorer/constraints.ts"
import type { Store } from "../storage/StorageFixture.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import { RowLocks } from "./RowLocks.ts"
import type { Process, Timeline } from "./Timeline.ts"

/** A transaction that has changed the store. */
export interface Commit {
  readonly process: Process
  /** The command that ran in it, if it was one. */
  readonly command: string | undefined
  readonly writes: ReadonlyArray<Write>
}

/** What is told of a database as it runs. */
export interface Observer {
  readonly log: (text: string) => void
  readonly problem: (text: string) => void
  readonly committed: (commit: Commit) => void
  readonly kill: (process: Process) => void
  readonly pause: (process: Process) => void
}

type Answer<A> = (exit: Exit.Exit<A, StorageError>) => void

/** Milliseconds after which a wait for a lock fails, and for the lock of a key that its table calls busy. */
const longestWait = 10_000
const longestWaitForKey = 3_000

/** A transaction of a process. What it writes is visible to others when it is committed. */
class RunningTransaction {
  readonly process: Process
  readonly command: string | undefined
  readonly writes: Array<Write> = []
  state: "open" | "committing" | "over" = "open"
  lost: StorageError | undefined

  constructor(process: Process, command: string | undefined) {
    this.process = process
    this.command = command
  }
}

/** One body of a transaction. */
interface Part {
  readonly transaction: RunningTransaction
  readonly calls: StorageCalls
}

interface Subscriber {
  readonly process: Process
  readonly notify: () => void
}

/**
 * A database that several processes share, with row locks under READ COMMITTED, such as PostgreSQL has them. Its committed rows are those of
 * a store in memory. Each call takes time and may go wrong, as the plan of faults says.
 */
export class SimulatedDatabase {
  /** The committed rows. */
  readonly rows: Store = Context.get(
    Effect.runSync(Layer.buildWithScope(memory().layer, Effect.runSync(Scope.make()))),
    Storage
  )
  private readonly timeline: Timeline
  private readonly faults: FaultPlan
  private readonly observer: Observer
  private readonly self: Process = { name: "database", isAlive: true, isPaused: false, clockOffset: 0 }
  private readonly locks = new RowLocks<RunningTransaction>()
  private readonly running = new Set<RunningTransaction>()
  private readonly lastIds = new Map<string, number>()
  private readonly subscribers = new Set<Subscriber>()
  private isReadingSnapshot = false

  constructor(timeline: Timeline, faults: FaultPlan, observer: Observer) {
    this.timeline = timeline
    this.faults = faults
    this.observer = observer
  }

  /** The storage of a process. */
  adapterOf(process: Process, hasher: StorageAdapter["hasher"]): StorageAdapter {
    return {
      name: "simulated",
      layer: Layer.sync(Storage, () => this.storeOf(process)),
      ...(hasher === undefined ? {} : { hasher })
    }
  }

  /** Rolls back what a process that was killed has not committed. What it has asked to commit may be committed yet. */
  disconnect(process: Process): void {
    for (const transaction of this.running) {
      if (transaction.process === process && transaction.state === "open") this.end(transaction)
    }
    for (const subscriber of this.subscribers) if (subscriber.process === process) this.subscribers.delete(subscriber)
  }

  /** The transactions that are open, in words. */
  get open(): ReadonlyArray<string> {
    return [...this.running].map(
      ({ command, process, state }) => `${command ?? "a transaction"} of ${process.name}, ${state}`
    )
  }

  private storeOf(process: Process): Store {
    const { rows } = this
    const open = new OpenTransactions<Part>()
    const activity = new TransactionCounts()

    /** A call of the store, in the transaction of its fiber or outside of one. */
    const call = <A>(
      text: string,
      operation: (answer: Answer<A>, transaction: RunningTransaction | undefined) => void
    ) =>
      Effect.contextWith((context: Context.Context<never>): Effect.Effect<A, StorageError> => {
        const part = open.find(context)
        return this.ask(process, part, text, (answer) => operation(answer, part?.transaction))
      })
    const read = <A>(text: string, of: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
      Effect.suspend(() =>
        this.isReadingSnapshot ? of : call<A>(text, (answer, transaction) => answer(this.seenBy(transaction, of)))
      )
    const inTransaction = <A>(
      text: string,
      operation: (answer: Answer<A>, transaction: RunningTransaction) => void
    ): Effect.Effect<A, StorageError, Transaction> =>
      Effect.contextWith((context: Context.Context<Transaction>) => {
        const part = open.require(context)
        return this.ask<A>(process, part, text, (answer) => operation(answer, part.transaction))
      })

    const transact: Store["transact"] = <A, E, R>(body: Effect.Effect<A, E, R>, command?: string) =>
      Effect.contextWith((context: Context.Context<Exclude<R, Transaction>>) => {
        const outer = open.find(context)
        const calls = new StorageCalls()
        if (outer !== undefined) {
          const { transaction } = outer
          const mark = transaction.writes.length
          return Effect.onError(open.runBodyAsync({ transaction, calls }, context, body, calls), () =>
            Effect.sync(() => transaction.writes.splice(mark))
          )
        }
        return Effect.suspend(() => {
          if (!process.isAlive) return Effect.never
          const transaction = new RunningTransaction(process, command)
          this.running.add(transaction)
          return Effect.flatMap(
            Effect.exit(open.runBodyAsync({ transaction, calls }, context, body, calls)),
            (exit) => {
              const { lost } = transaction
              const result: Exit.Exit<A, E | StorageError> = lost === undefined ? exit : Exit.fail(lost)
              if (Exit.isFailure(result) || transaction.writes.length === 0) {
                this.end(transaction)
                return result
              }
              return Effect.flatMap(this.commit(transaction), () => result)
            }
          )
        }).pipe(
          Effect.uninterruptible,
          Effect.onExit((exit) => Effect.sync(() => activity.settled(exit)))
        )
      })

    return {
      find: (table, key) => read(`reads ${table.name} ${key}`, rows.find(table, key)),
      findAll: (table, keys) => read(`reads ${table.name} ${keys.join(", ")}`, rows.findAll(table, keys)),
      scan: (table, after, limit) => read(`scans ${table.name}`, rows.scan(table, after, limit)),
      select: (query, argument, limit) => this.looking(call, query, argument, rows.select(query, argument, limit)),
      count: (query, argument, most) => this.looking(call, query, argument, rows.count(query, argument, most)),
      lock: (table, key, isShared = false) =>
        inTransaction(`${isShared ? "shares" : "locks"} ${table.name} ${key}`, (answer, transaction) => {
          const name = `${table.name} ${key}`
          const found = () => this.seenBy(transaction, rows.find(table, key))
          const seen = found()
          // Most rows that are not there have no lock.
          if (Exit.isSuccess(seen) && seen.value === undefined && !locksMissing(table.name)) return answer(seen)
          this.take(transaction, [[name, isShared ? "shared" : "exclusive"]], answer, () => answer(found()), table.busy)
        }),
      claim: (query, argument, limit) =>
        inTransaction(`claims ${query.name}`, (answer, transaction) => {
          const nameOf = (row: Parameters<typeof query.table.keyOf>[0]) =>
            `${query.table.name} ${query.table.keyOf(row)}`
          const all = this.seenBy(transaction, rows.transact(rows.claim(query, argument, limit + this.locks.count)))
          if (Exit.isFailure(all)) return answer(all)
          const free = all.value.filter((row) => !this.locks.isHeldByOther(transaction, nameOf(row))).slice(0, limit)
          const names = free.map((row) => [nameOf(row), "exclusive"] as const)
          this.take(transaction, names, answer, () => answer(Exit.succeed(free)))
        }),
      insert: (table, rowsOf) =>
        inTransaction(`adds ${table.name}`, (answer, transaction) => {
          const last = this.lastIds.get(table.name) ?? 0
          this.lastIds.set(table.name, last + rowsOf.length)
          const added = rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
          const writes = added.map((row) => ({ table: table.name, key: table.keyOf(row), row, before: undefined }))
          this.write(transaction, writes, answer, added)
        }),
      write: (writes) =>
        inTransaction(`writes ${describeWrites(writes)}`, (answer, transaction) =>
          this.write(transaction, writes, answer, undefined)
        ),
      events: {
        latest: read("sees the end of events", rows.events.latest),
        scan: (after, limit) => read(`reads events after ${after}`, rows.events.scan(after, limit)),
        find: (seqs) => read(`reads events ${seqs.join(", ")}`, rows.events.find(seqs))
      },
      transact,
      snapshot: <A, E, R>(body: Effect.Effect<A, E, R>) =>
        Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
          if (open.find(context) !== undefined || this.isReadingSnapshot) return body
          return Effect.flatMap(
            call<void>("takes a snapshot", (answer) => answer(Exit.void)),
            () => {
              this.isReadingSnapshot = true
              try {
                return runBody(context, body)
              } finally {
                this.isReadingSnapshot = false
              }
            }
          )
        }),
      watch: (notify) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => {
              const subscriber = { process, notify: () => notify() }
              this.subscribers.add(subscriber)
              return subscriber
            }),
            (subscriber) => Effect.sync(() => this.subscribers.delete(subscriber))
          )
        ),
      ready: call("asks whether the store is ready", (answer) => answer(Exit.void)),
      activity,
      inspect: rows.inspect,
      backup: undefined
    }
  }

  /** Selects rows; of those that ask an exclusive query in transactions, the others wait. */
  private looking<A>(
    call: <B>(
      text: string,
      operation: (answer: Answer<B>, transaction: RunningTransaction | undefined) => void
    ) => Effect.Effect<B, StorageError>,
    asked: { readonly name: string; readonly isExclusive: boolean },
    argument: unknown,
    of: Effect.Effect<A, StorageError>
  ): Effect.Effect<A, StorageError> {
    return Effect.suspend(() =>
      this.isReadingSnapshot
        ? of
        : call<A>(`looks for ${asked.name} ${JSON.stringify(argument)}`, (answer, transaction) => {
            const found = () => answer(this.seenBy(transaction, of))
            if (transaction === undefined || !asked.isExclusive) return found()
            this.take(transaction, [[`${asked.name} ${JSON.stringify(argument)}`, "exclusive"]], answer, found)
          })
    )
  }

  /** Sends a call of a process to the database, and its answer back. */
  private ask<A>(
    process: Process,
    part: Part | undefined,
    text: string,
    operation: (answer: Answer<A>) => void
  ): Effect.Effect<A, StorageError> {
    const { faults, observer, timeline } = this
    const transaction = part?.transaction
    return (part?.calls ?? new StorageCalls()).call<A, StorageError>((settle) => {
      if (!process.isAlive) return
      if (faults.happens("kills")) return observer.kill(process)
      const answer: Answer<A> = (exit) => {
        if (faults.happens("kills")) observer.kill(process)
        if (faults.happens("pauses", 0.2)) observer.pause(process)
        timeline.soon(process, () => settle(exit))
      }
      timeline.after(this.self, this.delay(), () => {
        if (!process.isAlive) return
        if (transaction?.lost !== undefined) return answer(Exit.fail(transaction.lost))
        if (faults.happens("refusedCalls")) {
          observer.log(`${process.name} ${text}: refused`)
          return answer(Exit.fail(this.lose(transaction, new StorageUnavailable({}))))
        }
        observer.log(`${process.name} ${text}`)
        operation(answer)
      })
    })
  }

  private delay(): number {
    const { dice } = this.faults
    return this.faults.happens("lateCalls") ? dice.between(100, 8_000) : dice.between(0, 2)
  }

  /** What a transaction sees: the committed rows, and what it has written. */
  private seenBy<A>(
    transaction: RunningTransaction | undefined,
    of: Effect.Effect<A, StorageError>
  ): Exit.Exit<A, StorageError> {
    const writes = transaction?.writes ?? []
    return writes.length === 0 ? Effect.runSyncExit(of) : this.tried(writes, of)
  }

  /** What something would return after some writes, which are undone. */
  private tried<A>(writes: ReadonlyArray<Write>, of: Effect.Effect<A, StorageError>): Exit.Exit<A, StorageError> {
    let result: Exit.Exit<A, StorageError> = Exit.die(new Error("Nothing was tried"))
    const body = Effect.flatMap(Effect.exit(Effect.andThen(this.rows.write(writes), of)), (exit) => {
      result = exit
      return Effect.fail("undone")
    })
    Effect.runSyncExit(this.rows.transact(body))
    return result
  }

  /** Takes locks one after the other, and goes on when it has all. */
  private take(
    transaction: RunningTransaction,
    names: ReadonlyArray<readonly [name: string, mode: "shared" | "exclusive"]>,
    answer: Answer<never>,
    goOn: () => void,
    busy?: (cause: Error) => Error
  ): void {
    const { locks, observer, timeline } = this
    const missing = names.findIndex(([name, mode]) => !locks.take(transaction, name, mode))
    const [name, mode] = names[missing] ?? []
    if (name === undefined || mode === undefined) {
      goOn()
      return
    }
    const expire = timeline.after(this.self, busy === undefined ? longestWait : longestWaitForKey, () => {
      const cause = new StorageBusy({})
      answer(Exit.fail(this.lose(transaction, (busy?.(cause) as StorageError | undefined) ?? cause)))
    })
    locks.wait(transaction, name, mode, () => {
      expire()
      timeline.soon(this.self, () => this.take(transaction, names.slice(missing + 1), answer, goOn, busy))
    })
    const circle = locks.circleOf(transaction).map(({ command }) => command)
    if (circle.length > 0) observer.problem(`Transactions wait for each other: ${circle.join(", ")} at ${name}`)
  }

  private write<A>(transaction: RunningTransaction, writes: ReadonlyArray<Write>, answer: Answer<A>, result: A): void {
    const whole = writes.flatMap((write) => ("purge" in write ? this.purged(transaction, write) : [write]))
    const names = [...new Set(whole.flatMap(namesOf))].map((name) => [name, "exclusive"] as const)
    this.take(transaction, names, answer, () => {
      const changes = whole.filter((write) => !this.isKept(transaction, write))
      const tried = this.tried([...transaction.writes, ...changes], Effect.void)
      if (Exit.isSuccess(tried)) {
        transaction.writes.push(...changes)
        return answer(Exit.succeed(result))
      }
      const error = Cause.squash(tried.cause) as StorageError
      // A name that is taken rejects the call alone.
      answer(Exit.fail(error instanceof InternalError ? this.lose(transaction, error) : error))
    })
  }

  /** Whether a new row gives way to the one of its key. */
  private isKept(transaction: RunningTransaction, write: Write): boolean {
    if (!("table" in write) || write.before !== undefined) return false
    const table = tableNamed(write.table) as Table<object, number | string>
    if (table.existing !== "kept") return false
    const found = this.seenBy(transaction, this.rows.findAll(table, [write.key]))
    return Exit.isSuccess(found) && found.value.length > 0
  }

  /** The rows that a purge removes: none that another transaction has locked. */
  private purged(
    transaction: RunningTransaction,
    { before, limit, purge }: { purge: string; before: string; limit: number }
  ) {
    const table = tableNamed(purge) as Table<object>
    const old = query(table, purge, () => [{ index: "age", before }])
    const found = Effect.runSync(this.rows.select(old, undefined, limit))
    return found
      .filter((row) => !this.locks.isHeldByOther(transaction, rowName(purge, row)))
      .map((row) => ({ remove: purge, key: table.keyOf(row), row }))
  }

  private lose(transaction: RunningTransaction | undefined, error: StorageError): StorageError {
    if (transaction !== undefined) transaction.lost ??= error
    return error
  }

  private commit(transaction: RunningTransaction): Effect.Effect<void, StorageError> {
    const { faults, observer, timeline } = this
    const { command, process, writes } = transaction
    const text = `${process.name} commits ${command ?? "a transaction"}`
    return new StorageCalls().call<void, StorageError>((settle) => {
      if (!process.isAlive) return
      transaction.state = "committing"
      const isRefused = faults.happens("refusedCalls")
      const isLost = !isRefused && faults.happens("lostCommits")
      const isApplied = !isRefused && (!isLost || faults.dice.isHit(0.5))
      timeline.after(this.self, this.delay(), () => {
        observer.log(`${text}${isApplied ? "" : ", which is rolled back"}${isLost ? "; the response is lost" : ""}`)
        const exit = isApplied ? Effect.runSyncExit(this.rows.transact(this.rows.write(writes))) : Exit.void
        if (Exit.isFailure(exit)) observer.problem(`${text}, which the store rejects: ${Cause.pretty(exit.cause)}`)
        else if (isApplied) this.announce(transaction)
        this.end(transaction)
        const error = isRefused ? new StorageBusy({}) : isLost ? new CommitUnknown({}) : undefined
        timeline.soon(process, () => settle(error === undefined ? exit : Exit.fail(error)))
      })
      if (faults.happens("kills", 10)) observer.kill(process)
    })
  }

  private announce({ command, process, writes }: RunningTransaction): void {
    for (const { notify, process: watching } of this.subscribers) {
      this.timeline.after(watching, this.faults.dice.between(0, 100), notify)
    }
    this.observer.committed({ process, command, writes })
  }

  private end(transaction: RunningTransaction): void {
    transaction.state = "over"
    this.running.delete(transaction)
    this.locks.release(transaction)
  }
}

/** The names of the locks that a write needs. */
const namesOf = (write: Write): ReadonlyArray<string> => {
  if ("table" in write) {
    const { lock } = uniqueNameOf(write.table, write.row) ?? {}
    return [`${write.table} ${write.key}`, ...(lock === undefined ? [] : [lock])]
  }
  return "remove" in write ? [`${write.remove} ${write.key}`] : []
}

const describeWrites = (writes: ReadonlyArray<Write>): string =>
  writes
    .map((write) => {
      if ("table" in write) return `${write.table} ${write.key}`
      if ("log" in write) return `${write.rows.length} ${write.log}`
      if ("remove" in write) return `no ${write.remove} ${write.key}`
      return "purge" in write ? `old ${write.purge}` : `no events up to ${write.trim}`
    })
    .join(", ")
