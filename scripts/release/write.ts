/** Keeps a store of each engine, its events and the description of the REST API of this version: a part of `npm run release:version`. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { migrationSql, postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type StorageAdapter } from "@petstore/core"
import { openApiDocument } from "@petstore/http/openapi"
import * as Effect from "effect/Effect"
import pg from "pg"
import { findBinaries } from "../../packages/adapters/test/support/postgres/Binaries.ts"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { collect } from "../../packages/core/testing/src/petstore/inspect.ts"
import { fill, secretKey } from "./history.ts"
import { rowsAsSql } from "./rowsAsSql.ts"

const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"))
const folder = new URL(`${version}/`, import.meta.url)

const keep = (name: string, content: string | Uint8Array): Promise<void> => writeFile(new URL(name, folder), content)

/** Fills a store, and keeps its event log. */
const fillAndKeepEvents = async (name: string, storage: StorageAdapter): Promise<void> => {
  await fill(storage)
  await using petstore = await createPetstore({ storage, secretKey })
  const events = await collect(petstore.events.all())
  await keep(name, events.map((event) => `${JSON.stringify(event)}\n`).join(""))
}

const keepSqlite = async (): Promise<void> => {
  const temporary = await mkdtemp(join(tmpdir(), "petstore-release-"))
  try {
    const file = join(temporary, "store.db")
    await fillAndKeepEvents("sqlite.ndjson", sqlite(file))
    await keep("sqlite.db.gz", gzipSync(await readFile(file)))
  } finally {
    await rm(temporary, { recursive: true })
  }
}

const keepPostgres = async (): Promise<void> => {
  const server = await PostgresServer.create({ binaries: await findBinaries(), inMemory: true })
  try {
    await server.start()
    const schema = await Effect.runPromise(migrationSql(server.url()))
    await fillAndKeepEvents("postgres.ndjson", postgres(server.url()))
    const client = new pg.Client(server.url())
    await client.connect()
    await keep("postgres.sql", `${schema}\n${await rowsAsSql(client)}`)
    await client.end()
  } finally {
    await server.remove()
  }
}

await mkdir(folder, { recursive: true })
await keepSqlite()
await keepPostgres()
await keep("openapi.json.gz", gzipSync(JSON.stringify(openApiDocument())))
