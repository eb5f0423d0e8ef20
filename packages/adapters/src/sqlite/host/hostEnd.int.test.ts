import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert } from "@effect/vitest"
import { drizzle } from "@petstore/adapters/drizzle"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { furnish } from "../../../test/support/furnish.ts"
import { type Act, type HostTrial, hostEndCases } from "../../../test/support/hostEndCases.ts"
import { openDrizzle, openKysely, openSyncDrizzle, sql } from "../../../test/support/libraries.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

expectLogs(clearText)

/** Gives a body the transaction of a library that is open on this connection. */
const libraries: Readonly<Record<string, (db: DatabaseSync) => Promise<SqlTransaction>>> = {
  Kysely: async (db) => kysely(await openKysely(db).startTransaction().execute()),
  Drizzle: async (db) => {
    const begun = Promise.withResolvers<SqlTransaction>()
    // The host that never comes to the end of its function; the test ends the transaction in its place.
    void openDrizzle(db).transaction((tx) => {
      begun.resolve(drizzle(tx, sql))
      return new Promise(() => {})
    })
    return begun.promise
  },
  "synchronous Drizzle": async (db) => {
    db.exec("BEGIN")
    return drizzle(openSyncDrizzle(db), sql)
  }
}

/** Runs statements as libraries do: a COMMIT that is rejected is followed by a ROLLBACK. */
const runAll = (db: DatabaseSync, statements: ReadonlyArray<string>): void => {
  for (const sql of statements) {
    try {
      db.exec(sql === "BEGIN" ? "BEGIN IMMEDIATE" : sql)
    } catch {
      db.exec("ROLLBACK")
    }
  }
}

/** A transaction in which the host acts between the statements of a call; counts them. */
const interleaved = (transaction: SqlTransaction, acts: ReadonlyArray<Act>, db: DatabaseSync) => {
  const seen = { statements: 0 }
  const meanwhile = <A>(run: (statement: string, values: Parameters<SqlTransaction["run"]>[1]) => A): typeof run => {
    return (statement, values) => {
      const at = seen.statements++
      for (const { place, sql } of acts) if (place === at) runAll(db, sql)
      return run(statement, values)
    }
  }
  const wrapped: SqlTransaction = {
    identity: transaction.identity,
    rows: meanwhile(transaction.rows),
    run: meanwhile(transaction.run)
  }
  return { seen, transaction: wrapped }
}

const tables = [
  "categories",
  "pets",
  "orders",
  "movements",
  "events",
  "messages",
  "accounts",
  "api_keys",
  "idempotency",
  "webhooks",
  "deliveries"
]

/** Every row of every table that is committed. */
const rowsOf = (file: string): string => {
  const reader = new DatabaseSync(file, { readOnly: true })
  const all = tables.map((table) => reader.prepare(`SELECT * FROM petstore_${table}`).all())
  reader.close()
  return JSON.stringify(all)
}

/** What is the same each time that a call is done: times, identities and secrets are not. */
const shapeOf = (rows: string): string =>
  rows
    .replace(/\b(evt|msg)_\w+/g, "$1")
    // An event that is stored as a list of values has its id without the prefix, and milliseconds instead of its time.
    .replace(/"id":"[0-9a-z]{22}"/g, '"id":"evt"')
    .replace(/"timestamp":"\d*"/g, '"timestamp":"time"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replace(/\{"0":[^}]*\}/g, "bytes")
    .replace(/whsec_[\w+/=]+/g, "secret")

const folder = mkdtempSync(join(tmpdir(), "petstore-"))

const template = (async () => {
  const file = join(folder, "template.db")
  const petstore = await createPetstore({ storage: sqlite(file) })
  await furnish(petstore)
  await petstore.close()
  return file
})()

afterAll(() => rmSync(folder, { recursive: true }))

/** A petstore in a copy of the template, and a host on this library. */
const openTrial = async (library: string, file: string): Promise<HostTrial> => {
  copyFileSync(await template, file)
  const db = new DatabaseSync(file)
  const petstore = await createPetstore({ storage: sqlite(file) })
  const begin = libraries[library] ?? assert.fail()
  return {
    rows: async () => rowsOf(file),
    call: async (command, acts, last) => {
      const { seen, transaction } = interleaved(await begin(db), acts, db)
      const [outcome] = await Promise.allSettled([command(petstore, transaction)])
      runAll(db, last(seen.statements))
      assert.isFalse(db.isTransaction)
      const reason = outcome.status === "rejected" ? String(outcome.reason) : ""
      return { done: outcome.status === "fulfilled", reason, statements: seen.statements }
    },
    close: async () => {
      assert.isTrue((await petstore.verify()).ok)
      await petstore.close()
      db.close()
    }
  }
}

for (const library of Object.keys(libraries)) {
  const open = Effect.map(temporaryFileInMemory, (file) => {
    let copies = 0
    return () => openTrial(library, `${file}.${copies++}`)
  })
  hostEndCases(library, { open, shapeOf })
}
