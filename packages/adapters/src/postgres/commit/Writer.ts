import { TransactionCounts } from "@petstore/core/adapter-toolkit"
import { ShuttingDown } from "@petstore/core/domain"
import { type Direct, direct, type RunCommand, type Storage, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Transact } from "../../sql/Sql.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { orStorageError } from "../connection/errors.ts"
import { appendEvents } from "../events/appendEvents.ts"
import { type PostgresOptions, settingsOf } from "../PostgresOptions.ts"
import type { PostgresSql } from "../statements/PostgresSql.ts"
import { ContendedRows } from "./group/ContendedRows.ts"
import { GroupCommit, type RunUntil } from "./group/GroupCommit.ts"
import { GroupStatements } from "./group/GroupStatements.ts"
import { GuessedWrites } from "./group/GuessedWrites.ts"
import { idBlocks } from "./group/HeldRows.ts"
import { KnownRows } from "./group/KnownRows.ts"
import { LoneTransactions } from "./LoneTransactions.ts"
import type { SchemaCheck } from "./SchemaCheck.ts"

/** Milliseconds that a group waits for rows of other transactions, before the commands that want them run alone. */
const longestGroupWaitMillis = 1000

/** What follows a commit, or one that fails. */
interface WriterCallbacks {
  /** `numbered`: whether the events of the commit have their place in the log. */
  readonly committed: (numbered: boolean) => void
  readonly failed: (reason: StorageError) => void
}

/** Runs commands in groups, and the rest of what writes in transactions of its own. */
export class Writer {
  readonly counts = new TransactionCounts(() => this.groups.waiting + this.pool.waitingCount)
  private isClosed = false
  private readonly pool: ConnectionPool
  private readonly sql: PostgresSql
  private readonly schemaCheck: SchemaCheck
  private readonly transactions: LoneTransactions
  private readonly statements: GroupStatements
  private readonly groups: GroupCommit
  private readonly runsAlone: boolean

  constructor(
    options: PostgresOptions,
    pool: ConnectionPool,
    sql: PostgresSql,
    schemaCheck: SchemaCheck,
    { committed, failed }: WriterCallbacks
  ) {
    const { groups: parallel, lockTimeout, schema, timeout } = settingsOf(options)
    const { counts } = this
    const append = appendEvents(schema)
    this.pool = pool
    this.sql = sql
    this.schemaCheck = schemaCheck
    this.runsAlone = parallel === 0
    this.transactions = new LoneTransactions(pool, timeout, append, {
      committed: (numbered) => {
        counts.commit(1)
        committed(numbered)
      },
      failed,
      retried: () => {
        counts.retried++
      }
    })
    this.statements = new GroupStatements(schema)
    this.groups = new GroupCommit({
      statements: this.statements,
      ids: idBlocks(),
      contended: new ContendedRows(),
      guessing: pool.settings === "" ? { known: new KnownRows(), writes: new GuessedWrites(schema) } : undefined,
      appendEvents: append,
      begin: `${pool.begin}; SET LOCAL lock_timeout = ${Math.ceil(Math.min(lockTimeout, longestGroupWaitMillis))}`,
      pool,
      counts,
      parallel,
      timeout,
      alone: this.alone,
      committed,
      failed
    })
  }

  readonly run: RunCommand = (begin, command) =>
    this.counted(this.runsAlone ? this.alone(begin) : this.groups.run(begin, command))

  readonly transact: Transact = (program) =>
    Effect.withFiber(({ context }) =>
      // Until the groups have closed, it is for their commands alone.
      this.isClosed
        ? Exit.fail(new ShuttingDown({}))
        : this.counted(this.transactions.run(context, (transaction) => this.sql.run(transaction, program())))
    )

  readonly reserve: NonNullable<Storage["Service"]["reserve"]> = (table, count) => {
    const { decode, text, values } = this.statements.of(table.name).newIds(count)
    // Not on the replica.
    return orStorageError(async () => decode(await this.pool.read(text, values)))
  }

  /** Completes when what runs has ended; nothing else begins. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.isClosed = true
    return Effect.andThen(this.groups.close, this.transactions.close)
  })

  private readonly alone: RunUntil = (begin, deadline) =>
    Effect.withFiber(({ context }) =>
      this.transactions.run(context, (transaction) => this.sql.runCommand(transaction, context, begin), deadline)
    )

  /** Work that writes, and counts as a transaction. */
  private counted<A, E>(work: Effect.Effect<A, E>): Direct<A, E | StorageError> {
    const guarded = this.schemaCheck.guard(work)
    return direct((asker, done) =>
      guarded.run(asker, (exit) => {
        this.counts.settled(exit)
        done(exit)
      })
    )
  }
}
