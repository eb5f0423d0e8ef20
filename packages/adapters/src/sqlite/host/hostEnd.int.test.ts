import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { drizzle } from "@petstore/adapters/drizzle"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { createPetstore, type HostTransaction, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { furnish } from "../../../test/support/furnish.ts"
import { readingCommands, writingCommands } from "../../../test/support/hostCommands.ts"
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

interface Opened {
  readonly db: DatabaseSync
  readonly file: string
  readonly petstore: Petstore
}

type Call = (petstore: Petstore, transaction: HostTransaction, file: string) => Promise<unknown>

/** How the host ends its transaction while a call runs, and whether it begins another one at once. */
const ends = ["COMMIT", "ROLLBACK"].flatMap((end) => [false, true].map((again) => ({ end, again })))

type End = (typeof ends)[number]

/** As libraries do: a COMMIT that is rejected is followed by a ROLLBACK. */
const endOn = (db: DatabaseSync, { again, end }: End): void => {
  try {
    db.exec(end)
  } catch {
    db.exec("ROLLBACK")
  }
  if (again) db.exec("BEGIN IMMEDIATE")
}

/** A transaction in which the host acts before the statement of this number; counts the statements. */
const interleaved = (transaction: SqlTransaction, place: number, act: () => void) => {
  const seen = { statements: 0 }
  const meanwhile = <A>(run: (statement: string, values: Parameters<SqlTransaction["run"]>[1]) => A): typeof run => {
    return (statement, values) => {
      if (seen.statements++ === place) act()
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

/** A petstore in a copy of the template, and a connection of the host. */
const openCopy = async (template: string, file: string): Promise<Opened> => {
  copyFileSync(template, file)
  const db = new DatabaseSync(file)
  const petstore = await createPetstore({ storage: sqlite(file) })
  return { db, file, petstore }
}

/** Calls something while the host ends its transaction before the statement of this number. */
const callWhile = async ({ db, file, petstore }: Opened, library: string, call: Call, place: number, end: End) => {
  const begin = libraries[library] ?? assert.fail()
  const { seen, transaction } = interleaved(await begin(db), place, () => endOn(db, end))
  const [outcome] = await Promise.allSettled([call(petstore, transaction, file)])
  // The host goes on: what it has open now it commits, or else ends the transaction as it was going to.
  if (seen.statements <= place) endOn(db, { ...end, again: false })
  else if (end.again) db.exec("COMMIT")
  return { done: outcome.status === "fulfilled", outcome, statements: seen.statements }
}

const never = Number.POSITIVE_INFINITY

for (const library of Object.keys(libraries)) {
  describe(`given a transaction of ${library} that ends while a call runs in it`, () => {
    const inCopies = (body: (open: () => Promise<Opened>, close: (opened: Opened) => Promise<void>) => Promise<void>) =>
      Effect.flatMap(temporaryFileInMemory, (file) =>
        Effect.promise(() => {
          let copies = 0
          return body(
            async () => openCopy(await template, `${file}.${copies++}`),
            async ({ db, petstore }) => {
              assert.isTrue((await petstore.verify()).ok)
              await petstore.close()
              db.close()
            }
          )
        })
      )

    for (const [name, call] of Object.entries(writingCommands)) {
      if (!contracts.isTriedIn(library, name)) continue
      it.effect(
        `when it is ${name}, then that is there as a whole or not at all, and never said to be done if not`,
        () =>
          inCopies(async (open, close) => {
            let opened = await open()
            const before = rowsOf(opened.file)
            const whole = await callWhile(opened, library, call, never, { end: "COMMIT", again: false })
            assert.isTrue(whole.done, String(Object(whole.outcome).reason))
            const after = shapeOf(rowsOf(opened.file))
            assert.notStrictEqual(after, shapeOf(before))
            await close(opened)
            opened = await open()
            for (let place = 0; place <= whole.statements; place++) {
              for (const end of ends) {
                const what = `${end.end}${end.again ? " and BEGIN" : ""} before statement ${place}`
                const { done, outcome, statements } = await callWhile(opened, library, call, place, end)
                assert.isFalse(opened.db.isTransaction, what)
                const rows = rowsOf(opened.file)
                const isThere = rows !== before
                if (isThere) assert.strictEqual(shapeOf(rows), after, what)
                // After its last statement the call is done, and the host has taken it back.
                const takenBack = statements <= place && end.end === "ROLLBACK"
                assert.strictEqual(done, isThere || takenBack, `${what}: ${Object(outcome).reason}`)
                if (!isThere) continue
                await close(opened)
                opened = await open()
              }
            }
            // The next transaction works.
            assert.isTrue((await callWhile(opened, library, call, never, { end: "COMMIT", again: false })).done)
            assert.strictEqual(shapeOf(rowsOf(opened.file)), after)
            await close(opened)
          })
      )
    }

    it.effect("when it is a call that changes nothing, then its result comes from the transaction alone", () =>
      inCopies(async (open, close) => {
        const opened = await open()
        const before = rowsOf(opened.file)
        for (const [name, call] of Object.entries(readingCommands)) {
          if (!contracts.isTriedIn(library, name)) continue
          const whole = await callWhile(opened, library, call, never, { end: "COMMIT", again: false })
          assert.isTrue(whole.done, name)
          for (let place = 0; place <= whole.statements; place++) {
            for (const end of ends) {
              const what = `${name}: ${end.end}${end.again ? " and BEGIN" : ""} before statement ${place}`
              const { done, outcome, statements } = await callWhile(opened, library, call, place, end)
              assert.isFalse(opened.db.isTransaction, what)
              // Before the call has its row it belongs to no transaction yet, and may begin in the next one.
              const beganInNext = end.again && place <= (name.startsWith("orders.place") ? 0 : 1)
              assert.strictEqual(done, statements <= place || beganInNext, `${what}: ${Object(outcome).reason}`)
            }
          }
        }
        assert.strictEqual(rowsOf(opened.file), before)
        await close(opened)
      })
    )
  })
}
