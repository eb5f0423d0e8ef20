import { readdirSync, readFileSync } from "node:fs"
import { Client } from "pg"
import { PostgresServer } from "../../../packages/adapters/test/support/postgres/PostgresServer.ts"

/** Milliseconds of processor time that a process has used, and its parent; on Linux alone. */
const usageOf = (id: string): { readonly parent: number; readonly millis: number } | undefined => {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return { parent: Number(fields[1]), millis: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return undefined
  }
}

/** Runs statements on a connection of their own, and returns the rows of the last one. */
export const query = async (
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: ReadonlyArray<Record<string, unknown>> = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** A PostgreSQL server of its own, which syncs each commit to the disk. */
export class Server {
  private readonly postgres: PostgresServer

  private constructor(postgres: PostgresServer) {
    this.postgres = postgres
  }

  static async start(): Promise<Server> {
    const postgres = await PostgresServer.create({
      settings: {
        max_connections: 300,
        shared_buffers: "256MB",
        // A checkpoint during a measurement would affect the variant that happens to run.
        max_wal_size: "8GB",
        checkpoint_timeout: "30min"
      }
    })
    await postgres.start()
    return new Server(postgres)
  }

  /** Makes an empty database and returns its URL. */
  async create(database: string): Promise<string> {
    await query(this.postgres.url(), `CREATE DATABASE ${database}`)
    return this.postgres.url(database)
  }

  /** Milliseconds of processor time that all processes of the server have used so far; 0 where it is not known. */
  processorTime(): number {
    const all = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : []
    return all
      .flatMap((id) => usageOf(id) ?? [])
      .filter(({ parent }) => parent === this.postgres.pid)
      .reduce((sum, { millis }) => sum + millis, 0)
  }

  stop(): Promise<void> {
    return this.postgres.remove()
  }
}
