// Waits for a line of input, then migrates a file or a database as the next release does. With "halt" it migrates a file until the
// step has run, and waits before the commit.

import { once } from "node:events"
import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import { migrate } from "../../src/sqlite/schema/migrate.ts"
import { migrateDatabase, migrateFile, nextOfSqlite, onFile } from "../support/nextVersion.ts"

const [place = "", mode] = process.argv.slice(2)
process.stdout.write("ready\n")
await once(process.stdin, "data")

const halted = onFile(place, (connection) => {
  connection.database.function("halt", () => {
    writeSync(1, "halted\n")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    return null
  })
  const [step = { sql: "" }] = nextOfSqlite().slice(-1)
  migrate(connection, nextOfSqlite(`${step.sql}; SELECT halt()`))
})

const migrated = place.startsWith("postgres") ? Effect.scoped(migrateDatabase(place)) : migrateFile(place)
await Effect.runPromise(mode === "halt" ? halted : migrated)
process.exit(0)
