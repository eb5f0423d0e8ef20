import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import { isConflict } from "../connection/errors.ts"
import type { Parameter, PostgresConnection, Result } from "../connection/PostgresConnection.ts"
import type { Statement, StatementRunner } from "../statements/Statement.ts"

// What a COMMIT has reported as durable is flushed. WAL that is only written may belong to transactions that still run.
const select = "SELECT pg_catalog.pg_current_wal_flush_lsn()::text AS position"

/** Reads how far the write-ahead log of the primary goes, for all callers of the same moment at once. */
class PrimaryPosition {
  private readonly pool: ConnectionPool
  private running: Promise<string> | undefined
  private next: Promise<string> | undefined

  constructor(pool: ConnectionPool) {
    this.pool = pool
  }

  /** A position at or behind everything that any server reported as committed before this call. */
  read(): Promise<string> {
    if (this.running === undefined) return this.start()
    // The one that runs may have been read before this call.
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = undefined
        return this.start()
      })
    return this.next
  }

  private start(): Promise<string> {
    const started = this.pool.read(select, []).then(({ rows }) => String(rows[0]?.position))
    this.running = started
    const ended = () => {
      if (this.running === started) this.running = undefined
    }
    started.then(ended, ended)
    return started
  }
}

// Standbys are copies, databases of the same cluster are not.
const selectIdentity = `SELECT system_identifier || ' ' || (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) AS identity
  FROM pg_catalog.pg_control_system()`

/** The identity of a database, which only its standbys share. */
export const clusterIdentity = async (connection: PostgresConnection): Promise<string> => {
  const { rows } = await connection.query(selectIdentity)
  return String(rows[0]?.identity)
}

// The timers stay real where a test replaces the global ones.
const { clearTimeout, setTimeout } = globalThis

/** Milliseconds for which a list waits until the replica has replayed what was committed before. */
const patienceMillis = 100

/** Milliseconds between two checks of a replica that is behind. */
const intervalMillis = 5

/** Milliseconds after which a replica that sends nothing has failed. */
const timeoutMillis = 500

/** Milliseconds for which a replica that failed is not used. */
const pauseMillis = 5000

const hasReplayed =
  "SELECT pg_catalog.pg_is_in_recovery() AND pg_catalog.pg_last_wal_replay_lsn() >= $1::pg_catalog.pg_lsn AS current"

/**
 * Reads lists from a replica, if it has replayed everything that was reported as committed, by any server, before the list was requested.
 * So a list is as current as one of the primary: one without what the client has just created looks like a lost write. If the replica is
 * behind for too long, or fails, the primary serves the list; everything else the primary serves anyway.
 */
export class ReplicaReads implements StatementRunner {
  private readonly primary: StatementRunner
  private readonly replica: ConnectionPool
  private readonly position: PrimaryPosition
  private readonly cluster: string
  private readonly checked = new WeakSet<PostgresConnection>()
  private failedAt = Number.NEGATIVE_INFINITY

  /** `cluster`: the identity of the primary, which the replica must share. */
  constructor(primary: StatementRunner, pool: ConnectionPool, replica: ConnectionPool, cluster: string) {
    this.primary = primary
    this.replica = replica
    this.position = new PrimaryPosition(pool)
    this.cluster = cluster
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<Parameter>): Effect.Effect<A, StorageError> {
    if (statement.isList !== true || performance.now() - this.failedAt < pauseMillis) {
      return this.primary.execute(statement, values)
    }
    return Effect.flatMap(
      Effect.promise(() => this.read(statement.text, values)),
      (result) =>
        result === undefined ? this.primary.execute(statement, values) : Effect.succeed(statement.decode(result))
    )
  }

  /** The result of the replica; undefined if the primary must serve it. */
  private async read(text: string, values: ReadonlyArray<Parameter>): Promise<Result | undefined> {
    const position = await this.position.read().catch(() => undefined)
    // The primary reports what is wrong with it itself.
    if (position === undefined) return undefined
    try {
      // Waiting for a connection is bounded too.
      return await inTime(this.replica.use((connection) => this.readBehind(connection, position, text, values)))
    } catch (cause) {
      // A standby cancels a query that reads what the primary has vacuumed. The next one may succeed.
      if (!isConflict(cause)) this.failedAt = performance.now()
      return undefined
    }
  }

  private async readBehind(
    connection: PostgresConnection,
    position: string,
    text: string,
    values: ReadonlyArray<Parameter>
  ): Promise<Result | undefined> {
    const until = performance.now() + patienceMillis
    try {
      await inTime(this.check(connection))
      do {
        // In one flight: the list sees at least what the statement before it has seen.
        const replayed = connection.query(hasReplayed, [position])
        const list = connection.query(text, values)
        // Before the replica has replayed a migration, it may lack the table.
        await inTime(Promise.all([replayed, list.catch(() => {})]))
        if ((await replayed).rows[0]?.current === true) return await list
        await new Promise((resolve) => setTimeout(resolve, intervalMillis))
      } while (performance.now() < until)
      return undefined
    } catch (cause) {
      // It may still have results to send, or be lost.
      connection.break()
      throw cause
    }
  }

  private async check(connection: PostgresConnection): Promise<void> {
    if (this.checked.has(connection)) return
    if ((await clusterIdentity(connection)) !== this.cluster) {
      throw new Error("The replica belongs to another primary")
    }
    this.checked.add(connection)
  }
}

const inTime = async <A>(work: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The replica sent nothing for ${timeoutMillis} milliseconds`)),
      timeoutMillis
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
