import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { TestProject } from "vitest/node"
import { findBinaries, findVersion } from "./Binaries.ts"
import { PostgresServer } from "./PostgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Responds with the URL of the PostgreSQL server of this run, which it starts at the first request. */
    readonly postgres: string
  }
}

/** Nothing of these tests survives the run, so nothing of it waits for the disk. */
const settings = {
  fsync: false,
  synchronous_commit: "on",
  full_page_writes: false,
  wal_level: "minimal",
  max_wal_senders: 0,
  max_connections: 200,
  shared_buffers: "64MB"
}

/** One server for all projects of a run, from the first test that needs it. */
class SharedServer {
  private starting: Promise<PostgresServer> | undefined
  private readonly http: Server
  readonly listening: Promise<string>
  users = 0

  constructor() {
    this.http = createServer((_, response) => {
      this.starting ??= this.start()
      this.starting.then(
        (server) => response.end(server.url()),
        (error: unknown) => response.writeHead(500).end(String(error))
      )
    })
    this.http.listen(0, "127.0.0.1").unref()
    this.listening = once(this.http, "listening").then(() => {
      const address = this.http.address()
      return typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
    })
  }

  private async start(): Promise<PostgresServer> {
    const version = process.env.PETSTORE_TEST_POSTGRES_VERSION
    const binaries = version === undefined ? await findBinaries() : await findVersion(version)
    const server = await PostgresServer.create({ binaries, settings, inMemory: true })
    await server.start()
    return server
  }

  async stop(): Promise<void> {
    this.http.close()
    this.http.closeAllConnections()
    await (await this.starting?.catch(() => undefined))?.remove()
  }
}

// Each project loads this file anew.
const shared: typeof globalThis & { petstoreTestServer?: SharedServer } = globalThis

export default async ({ provide }: TestProject) => {
  shared.petstoreTestServer ??= new SharedServer()
  const server = shared.petstoreTestServer
  server.users++
  provide("postgres", await server.listening)
  return async () => {
    server.users--
    if (server.users > 0) return
    delete shared.petstoreTestServer
    await server.stop()
  }
}
