import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import { afterEach, vi } from "vitest"
import { callsOfOneOrder } from "../../core/test/support/callsOfOneOrder.ts"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { petToSell } from "../test/support/postgres/openPostgres.ts"
import { testDatabase } from "../test/support/postgres.ts"
import { temporaryFile } from "../test/support/temporary.ts"
import { PostgresConnection } from "./postgres/connection/PostgresConnection.ts"
import { postgres } from "./postgres/postgres.ts"
import { Connection } from "./sqlite/connection/Connection.ts"
import { sqlite } from "./sqlite/sqlite.ts"

expectLogs(clearText)

/**
 * Notes each statement about orders, records and idempotency keys, with the number of rows that the database has returned. What looks
 * for orders that expire runs at any time.
 */
const noteStatements = (): ReadonlyArray<string> & { length: number } => {
  const noted: Array<string> = []
  const note = (sql: string, rows: number) => {
    if (/petstore_(orders|records|idempotency)/.test(sql) && !sql.includes("ORDER BY expires_at"))
      noted.push(`${rows} rows: ${sql}`)
  }
  const { perform } = Connection.prototype
  vi.spyOn(Connection.prototype, "perform").mockImplementation(function (this: Connection, statement, values) {
    const { decode, sql } = statement
    return perform.call(
      this,
      {
        ...statement,
        decode: (rows) => {
          note(sql, rows.length)
          return decode(rows)
        }
      },
      values
    )
  })
  const { query } = PostgresConnection.prototype
  vi.spyOn(PostgresConnection.prototype, "query").mockImplementation(async function (
    this: PostgresConnection,
    text,
    values
  ) {
    const result = await query.call(this, text, values)
    note(text, result.rows.length)
    return result
  })
  return noted
}

const opened = (storage: StorageAdapter) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage })),
    (petstore) => Effect.promise(() => petstore.close())
  )

const stores = {
  SQLite: Effect.flatMap(temporaryFile, (file) => opened(sqlite(file))),
  PostgreSQL: Effect.flatMap(testDatabase, (url) => opened(postgres(url)))
}

/** Pets, and an order of Ada's with a record. */
const given = async (petstore: Petstore) => {
  const petId = await petToSell(petstore)
  const order = await petstore.as({ user: "ada" }).orders.place({ petId }, { reserveFor: "1 day" })
  await petstore.records.update("orders", order.id, { externalId: "A" })
  return order.id
}

describe.each(Object.entries(stores))("given an order of another on %s", (_, store) => {
  afterEach(() => vi.restoreAllMocks())

  it.live(
    "when a user names it, then each call asks for what it asks for an order that does not exist, and gets as much",
    () =>
      Effect.gen(function* () {
        const petstore = yield* store
        yield* Effect.promise(async () => {
          const id = await given(petstore)
          const bob = petstore.as({ user: "bob" })
          const calls: typeof callsOfOneOrder = {
            ...callsOfOneOrder,
            "records.getByExternalId": ({ records }, order) =>
              records.getByExternalId("orders", order === id ? "A" : "none")
          }
          const noted = noteStatements()
          const notedOf = async (call: (typeof calls)[string], order: number) => {
            noted.length = 0
            await call(bob, order).catch((error: unknown) => assert.deepInclude(error, { code: "not_found" }))
            return [...noted]
          }
          for (const [name, call] of Object.entries(calls)) {
            // The first call may prepare statements and fill caches.
            await notedOf(call, 1_001)
            const ofNone = await notedOf(call, 1_000)
            assert.deepStrictEqual(await notedOf(call, id), ofNone, name)
            if (name !== "events.list") assert.isNotEmpty(ofNone, name)
          }
        })
      })
  )
})
