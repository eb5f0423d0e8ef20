import { randomUUID } from "node:crypto"
import { StorageBusy, StorageFull } from "@petstore/core/domain"
import { OnTransactionStart, type StorageError, Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scheduler from "effect/Scheduler"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { now } from "../connection/busyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { identify, identityColumns, identity as identityOfConnection } from "../connection/connectionIdentity.ts"
import { isForeignKeyViolation, isOfSqlite, isReadOnly } from "../connection/errors.ts"
import type { Row } from "../statements/Session.ts"
import { BridgedTransaction } from "./BridgedTransaction.ts"
import {
  type BridgedStatement,
  type BridgeSession,
  grace,
  type StatementFailed,
  type Unanswered,
  type Wait
} from "./BridgeSession.ts"
import {
  ended,
  halfError,
  hostError,
  lostError,
  notOpen,
  unansweredError,
  unknownError,
  unusable
} from "./hostErrors.ts"
import type { Mutex, MutexHolder } from "./Mutex.ts"
import type { Write } from "./Write.ts"
import { WriteSet } from "./WriteSet.ts"

/** A row of the call itself. While it is there, the transaction is the one in which the call began, and cannot be committed. */
interface Mark {
  readonly table: string
  /** Makes the table, where it is not part of the schema. */
  readonly create?: string
}

const writing: Mark = { table: "petstore_host_calls" }

// A call that only reads takes no lock in the file, so its row is in a table of the host's connection alone.
const reading: Mark = {
  table: "temp.petstore_host_reads",
  create: `CREATE TEMP TABLE IF NOT EXISTS petstore_host_reads (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_reads (token) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID`
}

// Outside of a transaction it fails by itself: the reference that is never fulfilled is checked at once.
const insertMark = ({ table }: Mark, token: string, after: Mark | undefined, columns: string): BridgedStatement => ({
  sql: `INSERT INTO ${table} (token) SELECT ? FROM pragma_foreign_keys WHERE foreign_keys = 1${
    after === undefined ? "" : ` AND EXISTS (SELECT 1 FROM ${after.table} WHERE token = ?)`
  } RETURNING token${columns}`,
  values: after === undefined ? [token] : [token, token],
  columns: ["token", ...(columns === "" ? [] : identityColumns)]
})

// A row whose writes were left half done by a trigger of the host stays, so that COMMIT is refused.
const deleteMark = (mark: Mark, token: string, applied = 0): BridgedStatement => ({
  sql: `DELETE FROM ${mark.table} WHERE token = ?${mark === writing ? ` AND applied = ${applied}` : ""} RETURNING token`,
  values: [token],
  columns: ["token"]
})

/** Has a column for the writes to each table, so that SQLite prepares the triggers of those tables alone. */
const apply = (writes: ReturnType<WriteSet["toJson"]>, token: string): BridgedStatement => ({
  sql: `UPDATE ${writing.table} SET applied = 1, ${writes
    .map(([table]) => `${table.replace("petstore_", "")} = ?`)
    .join(", ")} WHERE token = ? RETURNING token`,
  values: [...writes.map(([, json]) => json), token],
  columns: ["token"]
})

const findMark = (token: string): BridgedStatement => ({
  sql: `SELECT token FROM ${writing.table} WHERE token = ?`,
  values: [token]
})

/** Milliseconds for which a library is waited for, however short the time for locks is. */
const leastLimit = 100

/** What calls in one transaction share. */
export interface BridgedCallSettings {
  readonly session: BridgeSession
  /** What identifies the transaction. */
  readonly identity: object
  /** Those that have been found to be of this database. */
  readonly known: WeakSet<object>
  /** A connection of the engine, which knows the tables. */
  readonly own: Connection
  readonly store: object
  /** Milliseconds. */
  readonly lockTimeout: number
  /** That of all calls which are given this transaction. */
  readonly turn: Mutex
  /** That of all calls which write to the file. */
  readonly writingTurn: Mutex
  /** What is wrong with the connection, if anything is. */
  readonly problemOf: (row: Row | undefined) => string | undefined
}

/**
 * A call in a transaction that the host has open in a library. Between any two of its statements the host may end that
 * transaction, so the call only reads, notes what it is going to write, and writes all of it by one statement, which does
 * nothing unless the transaction is still the one in which the call began.
 */
export class BridgedCall implements MutexHolder {
  private readonly settings: BridgedCallSettings
  private readonly token = randomUUID()
  private readonly limit: number
  private readonly writes: WriteSet
  /** The row of this call that is known to be there. */
  private mark: Mark | undefined
  /** The rows of this call that may be there. */
  private readonly marks = new Set<Mark>()
  private readonly unanswered = new Set<PromiseLike<unknown>>()
  private statement = ""
  private since = now()

  constructor(settings: BridgedCallSettings) {
    this.settings = settings
    this.limit = Math.max(settings.lockTimeout, leastLimit)
    this.writes = new WriteSet(settings.own, (sql, values) => this.select({ sql, values }))
  }

  /** Runs a body as this call. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    const { store, turn, writingTurn } = this.settings
    const transaction = new BridgedTransaction(this, store)
    // What the body needs beside the transaction is in the context; the compiler cannot put the two together again.
    const services = Context.add(
      // A library that answers at once is asked everything in one turn, so that nothing of the host comes in between.
      Context.add(context, Scheduler.PreventSchedulerYield, true),
      Transaction,
      transaction
    ) as Context.Context<R>
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const exit = yield* Effect.exit(restore(Effect.provideContext(body, services)))
        yield* transaction.end
        return yield* this.finish(exit)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            writingTurn.release(this)
            turn.release(this)
          })
        )
      )
    ).pipe(Effect.provideService(Scheduler.PreventSchedulerYield, true))
  }

  /** The rows of a query, as the call sees them. */
  read(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    return Effect.andThen(
      this.begin(reading),
      Effect.suspend(() => this.writes.query(sql, values))
    )
  }

  /** The rows of a query, which nobody else can change until the transaction ends. */
  lock(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => this.writes.query(sql, values))
    )
  }

  /** Notes a write. */
  write(write: Write, values: ReadonlyArray<SqlValue>): Effect.Effect<void, StorageError> {
    if (write.chosen === undefined) return Effect.map(this.begin(writing), () => this.writes.add(write, values))
    return Effect.map(this.lock(write.chosen, values), (rows) => {
      for (const row of rows)
        this.writes.add(
          write,
          write.columns.map((column) => row[column] as SqlValue)
        )
    })
  }

  /** Notes a new row, and returns its id. */
  insert(write: Write, values: ReadonlyArray<SqlValue>): Effect.Effect<number, StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => this.writes.insert(write, values))
    )
  }

  /** Runs a part of the call: what it writes is forgotten unless it succeeds. */
  part<A, E>(part: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> {
    return Effect.andThen(
      this.begin(writing),
      Effect.suspend(() => {
        const { size } = this.writes
        return Effect.onExit(part, (exit) =>
          Exit.isFailure(exit) ? Effect.sync(() => this.writes.truncate(size)) : Effect.void
        )
      })
    )
  }

  describe(): string {
    const seconds = ((now() - this.since) / 1000).toFixed(1)
    return `a call in a transaction of the host has been waiting for ${seconds} s for its library to run "${this.statement.replaceAll(/\s+/g, " ")}"`
  }

  /** Makes sure that the call has its row. It goes ahead of the turn, so that a transaction cannot end and leave the call to the next. */
  private begin(mark: Mark): Effect.Effect<void, StorageError> {
    if (this.mark === mark || this.mark === writing) return Effect.void
    const { turn, writingTurn } = this.settings
    return Effect.gen({ self: this }, function* () {
      const before = this.mark
      yield* this.place(mark, before)
      if (before === undefined) {
        yield* turn.take(this, this.settings.lockTimeout)
        const admitted = yield* OnTransactionStart
        admitted()
      } else if (this.marks.has(before)) {
        yield* this.select(deleteMark(before, this.token))
        this.marks.delete(before)
      }
      if (mark === writing) yield* writingTurn.take(this, this.settings.lockTimeout)
    })
  }

  private place(mark: Mark, before: Mark | undefined): Effect.Effect<void, StorageError> {
    const { identity, known, problemOf, session } = this.settings
    const after = before !== undefined && this.marks.has(before) ? before : undefined
    return Effect.gen({ self: this }, function* () {
      const isKnown = known.has(identity)
      if (mark.create !== undefined) yield* session.run(mark.create, this.wait(mark.create))
      this.marks.add(mark)
      const [row] = yield* this.send(insertMark(mark, this.token, after, isKnown ? "" : `, ${identityOfConnection}`))
      if (row === undefined) {
        this.marks.delete(mark)
        return yield* this.explain(mark, undefined)
      }
      const problem = isKnown ? undefined : problemOf(row)
      if (problem !== undefined) return yield* Effect.die(new TypeError(problem))
      known.add(identity)
      this.mark = mark
    }).pipe(
      Effect.catchTag("Unanswered", () => this.stuck),
      Effect.catchTag("StatementFailed", ({ cause }) => {
        // Of another error it is not known whether the row was added before it.
        if (isOfSqlite(cause)) this.marks.delete(mark)
        return isForeignKeyViolation(cause) ? Exit.die(new TypeError(notOpen, { cause })) : this.explain(mark, cause)
      })
    )
  }

  /** Why the call has no row. Asks by a statement that changes nothing, wherever it runs. */
  private explain(mark: Mark, cause: unknown): Effect.Effect<void, StorageError> {
    return this.send({ sql: identify }).pipe(
      Effect.catchTag("Unanswered", () => this.stuck),
      Effect.matchEffect({
        onFailure: (failed) =>
          failed._tag === "StatementFailed" ? Exit.die(new TypeError(unusable(failed.cause))) : Exit.fail(failed),
        onSuccess: ([row]): Exit.Exit<void, StorageError> => {
          const problem = this.settings.problemOf(row)
          if (problem !== undefined) return Exit.die(new TypeError(problem))
          if (cause === undefined) return Exit.die(new TypeError(ended))
          const error = hostError(cause)
          if (error instanceof StorageFull) return Exit.fail(lostError(error))
          // A connection that cannot write has no table of its own, and nothing that could be left behind.
          if (mark !== reading || !isReadOnly(cause)) return Exit.fail(error)
          this.mark = mark
          return Exit.void
        }
      })
    )
  }

  /** Runs a statement of the body. */
  private select(statement: BridgedStatement): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    return this.send(statement).pipe(
      Effect.catchTag("Unanswered", () => this.stuck),
      Effect.catchTag("StatementFailed", ({ cause }) => Exit.fail(hostError(cause)))
    )
  }

  private send(
    statement: BridgedStatement,
    limit = this.limit
  ): Effect.Effect<ReadonlyArray<Row>, StatementFailed | Unanswered> {
    return Effect.suspend(() => this.settings.session.rows(statement, this.wait(statement.sql, limit)))
  }

  /** Runs a statement that ends the call. */
  private conclude(
    statement: BridgedStatement,
    limit = this.limit
  ): Effect.Effect<ReadonlyArray<Row>, StatementFailed | Unanswered> {
    return Effect.suspend(() =>
      this.settings.session.rows(statement, { ...this.wait(statement.sql, limit), isLast: true })
    )
  }

  private wait(sql: string, limit = this.limit): Wait {
    this.statement = sql
    this.since = now()
    return {
      limit,
      watch: (answer: PromiseLike<unknown>) => {
        const settled = (): void => {
          this.unanswered.delete(answer)
        }
        this.unanswered.add(answer)
        answer.then(settled, settled)
      }
    }
  }

  private readonly stuck = Effect.suspend(() => Exit.fail(unansweredError(this.describe())))

  /** Writes what a body that succeeded has noted, and takes the row of the call away. */
  private finish<A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | StorageError> {
    if (this.marks.size === 0) return exit
    return Exit.isSuccess(exit) && this.writes.size > 0 ? Effect.as(this.apply, exit.value) : this.withdraw(exit)
  }

  /** COMMIT is refused until the row is gone, so the call is there if its row was there to be taken away. */
  private readonly apply: Effect.Effect<void, StorageError> = Effect.suspend(() =>
    Effect.matchEffect(this.conclude(apply(this.writes.toJson(), this.token)), {
      onSuccess: ({ length }) => (length === 1 ? this.confirm : Exit.die(new TypeError(ended))),
      onFailure: (failed): Effect.Effect<never, StorageError> =>
        failed._tag === "StatementFailed" ? this.notApplied(failed.cause) : this.unknown(undefined)
    })
  )

  private readonly confirm: Effect.Effect<void, StorageError> = Effect.suspend(() =>
    Effect.matchEffect(this.conclude(deleteMark(writing, this.token, 1)), {
      onSuccess: ({ length }) => (length === 1 ? Exit.void : this.takenBack),
      onFailure: (failed) => this.unknown(failed._tag === "StatementFailed" ? failed.cause : undefined)
    })
  )

  /** The host has rolled back to a savepoint from within the call, if not all: its row is then there as before it wrote. */
  private readonly takenBack: Effect.Effect<never> = Effect.suspend(() =>
    Effect.andThen(Effect.exit(this.conclude(deleteMark(writing, this.token))), Exit.die(new TypeError(ended)))
  )

  private unknown(cause: unknown): Exit.Exit<never, StorageError> {
    this.withdrawLate()
    const description = cause === undefined ? this.describe() : "its library failed while the call was written"
    return Exit.fail(unknownError(description, cause))
  }

  /** What it means that writing has failed. SQLite takes a statement that fails back, but for triggers that ask it not to. */
  private notApplied(cause: unknown): Effect.Effect<never, StorageError> {
    return Effect.gen({ self: this }, function* () {
      const withdrawn = yield* Effect.orElseSucceed(this.conclude(deleteMark(writing, this.token)), () => [])
      if (withdrawn.length === 1) return yield* Exit.fail(hostError(cause))
      const left = yield* Effect.orElseSucceed(this.conclude(findMark(this.token)), () => [])
      if (isOfSqlite(cause)) return yield* Exit.fail(left.length === 1 ? halfError(cause) : hostError(cause, true))
      if (left.length === 1 || this.unanswered.size > 0) return yield* this.unknown(cause)
      // Libraries refuse statements for a transaction that is over.
      return yield* Exit.die(new TypeError(ended, { cause }))
    })
  }

  /** Takes the rows of the call away. If they were not there, the transaction has ended while the call ran. */
  private withdraw<A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | StorageError> {
    return Effect.gen({ self: this }, function* () {
      const isLeft = this.unanswered.size > 0 || (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      const answers = yield* this.deleteMarks(isLeft ? grace : this.limit)
      if (answers.every((answer) => Exit.isSuccess(answer) && answer.value.length === 1)) return yield* exit
      if (this.unanswered.size > 0) {
        this.withdrawLate()
        return yield* Exit.isSuccess(exit) ? this.stuck : exit
      }
      return yield* this.mark === undefined ? exit : endedExit(exit)
    })
  }

  private deleteMarks(limit: number) {
    return Effect.forEach([...this.marks], (mark) => Effect.exit(this.conclude(deleteMark(mark, this.token), limit)))
  }

  /** Leaves nothing behind if the library answers after all. */
  private withdrawLate(): void {
    void Promise.allSettled([...this.unanswered]).then(() => Effect.runPromise(this.deleteMarks(this.limit)))
  }
}

/** How a call ends whose transaction has ended before it: nothing of it has happened. */
const endedExit = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<A, E | StorageError> => {
  if (Exit.isSuccess(exit)) return Exit.die(new TypeError(ended))
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error)) return exit
  const { success: cause } = error
  if (cause instanceof StorageFull) return Exit.fail(lostError(cause))
  return cause instanceof StorageBusy ? exit : Exit.die(new TypeError(ended, { cause }))
}
