import type { ConnectionPool } from "../connection/ConnectionPool.ts"

// What a COMMIT has reported as durable is flushed. WAL that is only written may belong to transactions that still run.
const select = "SELECT pg_catalog.pg_current_wal_flush_lsn()::text AS position"

/** Reads how far the write-ahead log of the primary goes, for all callers of the same moment at once. */
export class PrimaryPosition {
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
