import { Client } from "pg"
import { PostgresServer } from "../../../packages/adapters/test/support/postgres/PostgresServer.ts"

/** Runs a statement on a connection of its own, and returns its rows. */
export const query = async (url: string, statement: string): Promise<ReadonlyArray<unknown>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Databases on a PostgreSQL server of the run, which syncs each commit to the disk. It starts with the first database. */
export class Databases {
  private server: Promise<PostgresServer> | undefined
  private count = 0

  private static async start(): Promise<PostgresServer> {
    const server = await PostgresServer.create({
      // A checkpoint during a measurement would affect the contender that happens to run.
      settings: { max_connections: 300, shared_buffers: "256MB", max_wal_size: "8GB", checkpoint_timeout: "30min" }
    })
    await server.start()
    return server
  }

  /** Makes an empty database and returns its URL. */
  async create(): Promise<string> {
    this.server ??= Databases.start()
    const server = await this.server
    const name = `bench_${++this.count}`
    await query(server.url(), `CREATE DATABASE ${name}`)
    return server.url(name)
  }

  async stop(): Promise<void> {
    await (await this.server)?.remove()
  }
}
