import type { TestProject } from "vitest/node"
import { OncePerRun } from "../OncePerRun.ts"
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
  max_connections: 300,
  shared_buffers: "64MB"
}

const start = async () => {
  const version = process.env.PETSTORE_TEST_POSTGRES_VERSION
  const binaries = version === undefined ? await findBinaries() : await findVersion(version)
  const server = await PostgresServer.create({ binaries, settings, inMemory: true })
  await server.start()
  return { text: server.url(), remove: () => server.remove() }
}

export default async ({ provide }: TestProject) => {
  const { address, release } = await OncePerRun.use("postgres", start)
  provide("postgres", address)
  return release
}
