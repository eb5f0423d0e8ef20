import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import type { PostgresPool } from "../connection/driver.ts"
import { isConnectionLoss } from "../connection/errors.ts"
import { inSchema } from "../statements/dialect.ts"

// Other processes commit in real time, so the timer stays real where a test replaces the global one.
const { setTimeout } = globalThis

/** Milliseconds in which reads gather. Stores that were read together are read together again at the next tick. */
const gatheringMillis = 5

/** The most logs in one statement. */
const batchSize = 100

/** The end of the log of one schema. */
export interface LogEnd {
  readonly last: number
  /** Whether committed events have no number yet. */
  readonly pending: boolean
}

interface Waiting {
  readonly schema: string
  readonly pool: ConnectionPool
  readonly resolve: (end: LogEnd) => void
  readonly reject: (cause: unknown) => void
}

const select = "SELECT last, EXISTS (SELECT 1 FROM petstore_pending) AS pending FROM petstore_log_end"

const readBatch = async (pool: ConnectionPool, schemas: ReadonlyArray<string>): Promise<ReadonlyArray<LogEnd>> => {
  const parts = schemas.map((schema, at) =>
    inSchema(schema, `SELECT ${at} AS at, log_end.* FROM (${select}) AS log_end`)
  )
  // Without a name: the set of schemas changes, and the server keeps named statements.
  const { rows } = await pool.use((connection) => connection.run(`${parts.join(" UNION ALL ")} ORDER BY at`))
  return rows.map(({ last, pending }) => ({ last: Number(last), pending: pending === true || pending === "t" }))
}

/**
 * Reads the ends of the logs of many schemas together: a process with many shops on one pool sends a statement for a hundred
 * of them, and not one for each.
 */
export class LogEnds {
  private waiting: Array<Waiting> = []

  read(schema: string, pool: ConnectionPool): Promise<LogEnd> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ schema, pool, resolve, reject })
      if (this.waiting.length === 1) setTimeout(() => this.flush(), gatheringMillis)
    })
  }

  private flush(): void {
    const all = this.waiting
    this.waiting = []
    for (let start = 0; start < all.length; start += batchSize) void this.readAll(all.slice(start, start + batchSize))
  }

  private async readAll(batch: ReadonlyArray<Waiting>): Promise<void> {
    const [first] = batch
    if (first === undefined) return
    try {
      const ends = await readBatch(
        first.pool,
        batch.map(({ schema }) => schema)
      )
      batch.forEach(({ reject, resolve }, at) => {
        const end = ends[at]
        if (end === undefined) reject(new Error("The log has no end"))
        else resolve(end)
      })
    } catch (cause) {
      if (batch.length === 1 || isConnectionLoss(cause)) {
        for (const { reject } of batch) reject(cause)
      } else {
        // One schema that was dropped must not stop the others.
        for (const waiting of batch) void this.readAll([waiting])
      }
    }
  }
}

const ofPools = new WeakMap<PostgresPool, LogEnds>()

/** What the stores on a pool of a host application read together. */
export const logEndsOf = (pool: PostgresPool): LogEnds => {
  const known = ofPools.get(pool) ?? new LogEnds()
  ofPools.set(pool, known)
  return known
}
