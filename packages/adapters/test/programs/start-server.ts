/** Starts a PostgreSQL server, writes where, and waits. */
import { PostgresServer } from "../support/postgres/PostgresServer.ts"
import { writeLine } from "../support/writeLine.ts"

const server = await PostgresServer.create()
await server.start()
writeLine(JSON.stringify({ folder: server.folder, pid: server.pid }))
setInterval(() => {}, 60_000)
