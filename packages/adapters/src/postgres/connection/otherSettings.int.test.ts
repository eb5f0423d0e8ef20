import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { type PostgresOptions, schemaProblems } from "../index.ts"

expectLogs(clearText)

/** What a role, a database or a URL may set, and what changes how statements are read, planned or shown. */
const settings: Readonly<Record<string, string>> = {
  array_nulls: "off",
  backslash_quote: "on",
  bytea_output: "escape",
  DateStyle: "'SQL, DMY'",
  default_transaction_deferrable: "on",
  default_transaction_isolation: "serializable",
  enable_bitmapscan: "off",
  enable_indexscan: "off",
  enable_nestloop: "off",
  escape_string_warning: "on",
  extra_float_digits: "-15",
  IntervalStyle: "sql_standard",
  quote_all_identifiers: "on",
  search_path: "other, public, pg_catalog",
  standard_conforming_strings: "off",
  synchronous_commit: "off",
  synchronize_seqscans: "off",
  TimeZone: "'Asia/Kolkata'",
  transform_null_equals: "on",
  xmlbinary: "hex"
}

/** A database in which every session has these settings, and a schema in its search path has functions of our names. */
const otherDatabase = Effect.gen(function* () {
  const url = yield* testDatabase
  const name = new URL(url).pathname.slice(1)
  const statements = Object.entries(settings).map(
    ([setting, value]) => `ALTER DATABASE ${name} SET ${setting} = ${value}`
  )
  yield* Effect.promise(() =>
    query(
      url,
      [
        "CREATE SCHEMA other",
        "CREATE FUNCTION other.json_typeof(json) RETURNS text LANGUAGE sql AS 'SELECT NULL::text'",
        "CREATE FUNCTION other.hashtextextended(text, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
        ...statements
      ].join("; ")
    )
  )
  return { url, reset: () => query(url, `ALTER DATABASE ${name} RESET ALL`) }
})

const ways: Readonly<
  Record<string, (url: string) => Effect.Effect<PostgresOptions, never, import("effect/Scope").Scope>>
> = {
  "connections of our own": (url) => Effect.succeed({ url }),
  "a pooler": (url) => Effect.succeed({ url, prepare: false }),
  "a pool of the app": (url) => Effect.map(openHostPool({ connectionString: url, max: 4 }), (pool) => ({ pool }))
}

describe("given a database whose settings change how statements are read and shown", () => {
  for (const [title, optionsOf] of Object.entries(ways)) {
    it.live(`when it is used over ${title}, then nothing differs, and its schema is as it should be`, () =>
      Effect.gen(function* () {
        const { reset, url } = yield* otherDatabase
        const options = yield* optionsOf(url)
        const petstore = yield* openPostgres(options)
        yield* Effect.promise(async () => {
          const { id: categoryId } = await petstore.categories.create({ name: "Cats \\ 'dogs'" })
          const pet = await petstore.pets.create({ name: "Tom \\'", categoryId })
          await petstore.inventory.set(pet.id, 5)
          const account = await petstore.accounts.create({ name: "Shop" })
          const key = await petstore.apiKeys.create({ accountId: account.id, name: "main", scopes: ["pets:read"] })
          const webhook = await petstore.webhooks.create({ url: "https://example.com/hook" })
          await petstore.orders.placeAll([{ petId: pet.id }, {}], { idempotencyKey: "once" })
          await petstore.orders.placeAll([{ petId: pet.id }, {}], { idempotencyKey: "once" })
          assert.strictEqual((await petstore.inventory.get(pet.id)).reserved, 1)
          assert.strictEqual((await petstore.apiKeys.get(key.id)).name, "main")
          assert.strictEqual((await petstore.webhooks.get(webhook.id)).url, "https://example.com/hook")
          const report = await petstore.verify()
          assert.isTrue(report.ok, JSON.stringify(report.checks.filter(({ violations }) => violations > 0)))
        })
        assert.deepStrictEqual(yield* schemaProblems(options), [])
        yield* Effect.promise(reset)
        assert.deepStrictEqual(yield* schemaProblems({ url }), [])
      })
    )
  }

  it.live("when a call joins a transaction of the app, then nothing differs, and the settings of the app stay", () =>
    Effect.gen(function* () {
      const { url } = yield* otherDatabase
      const pool = yield* openHostPool({ connectionString: url, max: 4 })
      const petstore = yield* openPostgres({ pool })
      yield* Effect.promise(async () => {
        const client = await pool.connect()
        try {
          const select = "SELECT name, setting FROM pg_settings WHERE source <> 'default' ORDER BY name"
          const before = (await client.query(select)).rows
          await client.query("BEGIN ISOLATION LEVEL READ COMMITTED")
          await petstore.categories.create({ name: "Cats \\ 'dogs'" }, { transaction: client })
          await petstore.orders.place({}, { transaction: client, idempotencyKey: "once" })
          await client.query("COMMIT")
          assert.deepStrictEqual((await client.query(select)).rows, before)
        } finally {
          client.release()
        }
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )
})
