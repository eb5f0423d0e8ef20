import { memory, type StorageAdapter } from "@petstore/core"
import { runBody, TransactionCounts } from "@petstore/core/adapter-toolkit"
import { CommitUnknown, InternalError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import {
  type Command,
  pending,
  type Query,
  query,
  type Source,
  type Table,
  Transaction,
  type Write
} from "@petstore/core/kernel"
import { OnTransactionStart, type RunCommand, runByCalls, Storage, type StorageError } from "@petstore/core/ports"
import type { Store } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { locksMissing, rowName, tableNamed, uniqueNameOf } from "../explore/constraints.ts"
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

/** What a database reports as it runs. */
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
  writes: ReadonlyArray<Write> = []
  state: "open" | "committing" | "over" = "open"
  lost: StorageError | undefined

  constructor(process: Process, command: string | undefined) {
    this.process = process
    this.command = command
  }
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
    const activity = new TransactionCounts()

    const read = <A>(text: string, of: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
      Effect.suspend(() =>
        this.isReadingSnapshot
          ? of
          : this.ask(process, undefined, text, (answer: Answer<A>) => answer(Effect.runSyncExit(of)))
      )

    const run: RunCommand = (begin, command) =>
      Effect.withFiber(({ context }) => {
        if (!process.isAlive) return Effect.never
        const running = new RunningTransaction(process, command)
        this.running.add(running)
        Context.get(context, OnTransactionStart)()
        const source = new CallSource((text, operation) => this.ask(process, running, text, operation), this, running)
        const transaction = new Transaction(source)
        return runByCalls(
          transaction,
          begin(transaction, context),
          () => source.call,
          (value) => Effect.as(this.finish(running, transaction.writes), value)
        ).pipe(Effect.onExit(() => Effect.sync(() => this.end(running))))
      }).pipe(
        Effect.uninterruptible,
        Effect.onExit((exit) => Effect.sync(() => activity.settled(exit)))
      )

    return {
      find: (table, key) => read(`reads ${table.name} ${key}`, rows.find(table, key)),
      findAll: (table, keys) => read(`reads ${table.name} ${keys.join(", ")}`, rows.findAll(table, keys)),
      scan: (table, after, limit) => read(`scans ${table.name}`, rows.scan(table, after, limit)),
      select: (query, argument, limit) => read(looksFor(query, argument), rows.select(query, argument, limit)),
      count: (query, argument, most) => read(looksFor(query, argument), rows.count(query, argument, most)),
      events: {
        latest: read("sees the end of events", rows.events.latest),
        scan: (after, limit) => read(`reads events after ${after}`, rows.events.scan(after, limit)),
        find: (seqs) => read(`reads events ${seqs.join(", ")}`, rows.events.find(seqs))
      },
      run,
      snapshot: <A, E, R>(body: Effect.Effect<A, E, R>) =>
        Effect.contextWith((context: Context.Context<R>): Effect.Effect<A, E | StorageError, R> => {
          if (this.isReadingSnapshot) return body
          return Effect.flatMap(
            this.ask<void>(process, undefined, "takes a snapshot", (answer) => answer(Exit.void)),
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
      ready: this.ask(process, undefined, "asks whether the store is ready", (answer) => answer(Exit.void)),
      activity,
      inspect: rows.inspect,
      backup: undefined
    }
  }

  /** Sends a call of a process to the database, and its answer back. */
  private ask<A>(
    process: Process,
    transaction: RunningTransaction | undefined,
    text: string,
    operation: (answer: Answer<A>) => void
  ): Effect.Effect<A, StorageError> {
    const { faults, observer, timeline } = this
    return Effect.callback<A, StorageError>((resume) => {
      if (!process.isAlive) return
      if (faults.happens("kills")) return observer.kill(process)
      const answer: Answer<A> = (exit) => {
        if (faults.happens("kills")) observer.kill(process)
        if (faults.happens("pauses", 0.2)) observer.pause(process)
        timeline.soon(process, () => resume(exit))
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

  /** Locks a row, and finds it as it is then. */
  lock<Row, K extends number | string>(
    transaction: RunningTransaction,
    table: Table<Row, K>,
    key: K,
    mode: "shared" | "exclusive",
    answer: Answer<Row | undefined>
  ): void {
    const { busy, name } = table
    const found = () => Effect.runSyncExit(this.rows.find(table, key))
    const seen = found()
    // Most rows that are not there have no lock.
    if (Exit.isSuccess(seen) && seen.value === undefined && !locksMissing(name)) answer(seen)
    else this.take(transaction, [[`${name} ${key}`, mode]], answer, () => answer(found()), busy)
  }

  /** Looks for rows; of those that ask an exclusive query in transactions, the others wait. */
  look<A>(
    transaction: RunningTransaction,
    text: string,
    isExclusive: boolean,
    of: Effect.Effect<A, StorageError>,
    answer: Answer<A>
  ): void {
    const found = () => answer(Effect.runSyncExit(of))
    if (isExclusive) this.take(transaction, [[text, "exclusive"]], answer, found)
    else found()
  }

  /** Locks rows that a query selects and no other transaction has locked. */
  claim<Row, Argument, K extends number | string>(
    transaction: RunningTransaction,
    query: Query<Row, Argument, K>,
    argument: Argument,
    limit: number,
    answer: Answer<ReadonlyArray<Row>>
  ): void {
    const nameOf = (row: Row) => `${query.table.name} ${query.table.keyOf(row)}`
    const most = limit + this.locks.count
    const all = Effect.runSyncExit(
      this.rows.run(function* (tx) {
        return yield* tx.claim(query, argument, most)
      })
    )
    if (Exit.isFailure(all)) {
      answer(all)
      return
    }
    const free = all.value.filter((row) => !this.locks.isHeldByOther(transaction, nameOf(row))).slice(0, limit)
    const names = free.map((row) => [nameOf(row), "exclusive"] as const)
    this.take(transaction, names, answer, () => answer(Exit.succeed(free)))
  }

  /** Ids for new rows of a table. */
  newIds(table: string, count: number): ReadonlyArray<number> {
    const last = this.lastIds.get(table) ?? 0
    this.lastIds.set(table, last + count)
    return Array.from({ length: count }, (_, index) => last + 1 + index)
  }

  private delay(): number {
    const { dice } = this.faults
    return this.faults.happens("lateCalls") ? dice.between(100, 8_000) : dice.between(0, 2)
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

  /** Ends a transaction with what its command has collected. */
  private finish(transaction: RunningTransaction, collected: ReadonlyArray<Write>): Effect.Effect<void, StorageError> {
    if (collected.length === 0) return Effect.void
    const locked = this.ask<void>(transaction.process, transaction, `writes ${describeWrites(collected)}`, (answer) => {
      transaction.writes = collected.flatMap((write) => ("purge" in write ? this.purged(transaction, write) : [write]))
      const names = [...new Set(transaction.writes.flatMap(namesOf))].map((name) => [name, "exclusive"] as const)
      this.take(transaction, names, answer, () => {
        transaction.writes = transaction.writes.filter((write) => !this.isKept(write))
        answer(Exit.void)
      })
    })
    return Effect.andThen(
      locked,
      Effect.suspend(() => this.commit(transaction))
    )
  }

  /** Whether a new row gives way to the one of its key. */
  private isKept(write: Write): boolean {
    if (!("table" in write) || write.before !== undefined) return false
    const table = tableNamed(write.table) as Table<object, number | string>
    if (table.existing !== "kept") return false
    return Effect.runSync(this.rows.findAll(table, [write.key])).length > 0
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
    return Effect.callback<void, StorageError>((resume) => {
      if (!process.isAlive) return
      transaction.state = "committing"
      const isRefused = faults.happens("refusedCalls")
      const isLost = !isRefused && faults.happens("lostCommits")
      const isApplied = !isRefused && (!isLost || faults.dice.isHit(0.5))
      timeline.after(this.self, this.delay(), () => {
        observer.log(`${text}${isApplied ? "" : ", which is rolled back"}${isLost ? "; the response is lost" : ""}`)
        const exit = isApplied ? Effect.runSyncExit(this.rows.run((tx) => applied(tx, writes))) : Exit.void
        if (Exit.isFailure(exit)) {
          // A value that is taken rejects the command.
          if (Cause.squash(exit.cause) instanceof InternalError)
            observer.problem(`${text}, which the store rejects: ${Cause.pretty(exit.cause)}`)
        } else if (isApplied) this.announce(transaction)
        this.end(transaction)
        const error = isRefused ? new StorageBusy({}) : isLost ? new CommitUnknown({}) : undefined
        timeline.soon(process, () => resume(error === undefined ? exit : Exit.fail(error)))
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

/** Makes the changes of a command that has ended. */
function* applied(tx: Transaction, writes: ReadonlyArray<Write>): Command<void> {
  for (const write of writes) {
    if ("log" in write) tx.append({ name: write.log, rows: [] }, write.rows as ReadonlyArray<never>)
    else if ("trim" in write) tx.trim(write.trim)
    else if ("remove" in write) {
      const table = tableNamed(write.remove) as Table<object, number | string>
      yield* tx.lock(table, write.key)
      tx.remove(table, write.row as object)
    } else if ("table" in write) {
      const table = tableNamed(write.table) as Table<object, number | string>
      if (write.before === undefined) tx.add(table, write.row as object)
      else {
        yield* tx.lock(table, write.key)
        tx.save(table, write.row as object)
      }
    }
  }
}

const looksFor = ({ name }: { readonly name: string }, argument: unknown): string =>
  `looks for ${name} ${JSON.stringify(argument)}`

/** How a call of a transaction is made. */
type Ask = <A>(text: string, operation: (answer: Answer<A>) => void) => Effect.Effect<A, StorageError>

/** Makes the calls of a command, and keeps the one that it waits for. */
class CallSource implements Source {
  readonly storesNew = false
  call: Effect.Effect<unknown, StorageError> = Exit.void
  private readonly ask: Ask
  private readonly database: SimulatedDatabase
  private readonly transaction: RunningTransaction

  constructor(ask: Ask, database: SimulatedDatabase, transaction: RunningTransaction) {
    this.ask = ask
    this.database = database
    this.transaction = transaction
  }

  readonly load: Source["load"] = (reading, table, key) =>
    reading === "find"
      ? this.read(`reads ${table.name} ${key}`, this.database.rows.find(table, key))
      : this.wait(`${reading === "lockShared" ? "shares" : "locks"} ${table.name} ${key}`, (answer) =>
          this.database.lock(this.transaction, table, key, reading === "lockShared" ? "shared" : "exclusive", answer)
        )
  readonly findAll: Source["findAll"] = (table, keys) =>
    this.read(`reads ${table.name} ${keys.join(", ")}`, this.database.rows.findAll(table, keys))
  readonly select: Source["select"] = (query, argument, limit) =>
    this.look(query, argument, this.database.rows.select(query, argument, limit))
  readonly count: Source["count"] = (query, argument, limit) =>
    this.look(query, argument, this.database.rows.count(query, argument, limit))
  readonly claim: Source["claim"] = (query, argument, limit) =>
    this.wait(`claims ${query.name}`, (answer) =>
      this.database.claim(this.transaction, query, argument, limit, answer as never)
    )
  readonly scan: Source["scan"] = (after, limit) =>
    this.read(`reads events after ${after}`, this.database.rows.events.scan(after, limit))
  readonly last: Source["last"] = () => this.read("sees the end of events", this.database.rows.events.latest)
  readonly insert: Source["insert"] = ({ name }, rowsOf) =>
    this.wait(`adds ${name}`, (answer) => {
      const ids = this.database.newIds(name, rowsOf.length)
      answer(Exit.succeed(rowsOf.map((rowOf, index) => rowOf(ids[index] ?? 0))))
    })

  private look<A>(
    query: { readonly name: string; readonly isExclusive: boolean },
    argument: unknown,
    of: Effect.Effect<A, StorageError>
  ): typeof pending {
    const text = looksFor(query, argument)
    return this.wait<A>(text, (answer) => this.database.look(this.transaction, text, query.isExclusive, of, answer))
  }

  private read<A>(text: string, of: Effect.Effect<A, StorageError>): typeof pending {
    return this.wait<A>(text, (answer) => answer(Effect.runSyncExit(of)))
  }

  private wait<A>(text: string, operation: (answer: Answer<A>) => void): typeof pending {
    this.call = this.ask(text, operation)
    return pending
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
