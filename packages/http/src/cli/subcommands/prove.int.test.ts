import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { postgresServer, query, testDatabase } from "../../../../adapters/test/support/postgres.ts"
import { printed } from "../../../test/support/cliTest.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore } from "../../../test/support/PetstoreProcess.ts"
import { type Ended, runPetstore } from "../../../test/support/runPetstore.ts"
import { until } from "../../../test/support/until.ts"
import type { Signal } from "../stopSignal.ts"

const live = (name: string, body: Effect.Effect<void, never, Scope.Scope>) => it.live(name, () => Effect.scoped(body))

const newLog = Effect.map(temporaryFolder, (folder) => join(folder, "proof.ndjson"))

const run = (url: string, flags: ReadonlyArray<string>, stop?: Effect.Effect<Signal>) =>
  runPetstore(["prove", url, "--yes", ...flags], {}, stop)

const sql = (url: string, text: string) => Effect.promise(() => query(url, text))

const hasSchema = (url: string, schema = "petstore_prove") =>
  Effect.map(sql(url, `SELECT FROM pg_namespace WHERE nspname = '${schema}'`), (rows) => rows.length === 1)

/** What it printed as text, which ends with 1. */
const failing = (ended: Ended): string => {
  const { code, stderr, stdout } = printed(ended)
  assert.deepStrictEqual([code, stderr], [1, ""], stdout)
  return stdout
}

const succeeding = (ended: Ended): string => {
  const { code, stderr, stdout } = printed(ended)
  assert.deepStrictEqual([code, stderr], [0, ""], stdout)
  return stdout
}

const acknowledgedIn = (log: string): number =>
  existsSync(log) ? readFileSync(log, "utf8").split('"type":"acknowledged"').length - 1 : 0

const acknowledges = (log: string, calls: number) =>
  until(`${calls} calls are acknowledged`, () => acknowledgedIn(log) >= calls)

/** Makes calls until forty are acknowledged, however fast the machine is, and checks them. */
const load = (url: string, log: string, ...flags: ReadonlyArray<string>) =>
  run(
    url,
    ["--log", log, "--duration", "3600", "--clients", "4", ...flags],
    Effect.as(acknowledges(log, 40), "SIGINT" as const)
  )

describe("petstore prove", () => {
  live(
    "given a cluster that keeps its promises, then it says so, exits with 0, and drops its schema",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const text = succeeding(yield* load(url, yield* newLog))
      assert.match(text, /^Clients made \d+ calls\. [1-9]\d* orders were placed, [1-9]\d* completed and \d+ cancelled/)
      assert.include(text, "\nLost: none\nDoubled: none\nOversold: none\nUnexpected: none\nBroken invariants: none\n")
      assert.match(
        text,
        /Every acknowledged call took effect, once\.\nThe log is .*\nThe schema petstore_prove is dropped\.$/
      )
      assert.isFalse(yield* hasSchema(url))
    })
  )

  live(
    "given a schema that exists, then it is refused and stays as it is, and no log is left",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const log = yield* newLog
      yield* sql(url, "CREATE SCHEMA petstore_prove; CREATE TABLE petstore_prove.mine ()")
      const { code, stderr } = printed(yield* load(url, log))
      assert.strictEqual(code, 2)
      assert.match(stderr, /^petstore: The schema petstore_prove exists already at .*; name a new one with --schema\.$/)
      assert.isFalse(existsSync(log))
      yield* sql(url, "SELECT FROM petstore_prove.mine")
    })
  )

  live(
    "given a schema of another proof, and rows that are changed behind its back, then each is found, and the schema is kept",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const log = yield* newLog
      const again = run(url, ["--resume", log])
      /** Changes rows in a transaction of its own, and changes them back after the check. */
      const broken = (before: string, after: string) =>
        Effect.gen(function* () {
          yield* sql(url, `SET session_replication_role = replica; ${before}`)
          const text = failing(yield* again)
          yield* sql(url, `SET session_replication_role = replica; ${after}`)
          return text
        })
      assert.match(succeeding(yield* load(url, log, "--keep")), /is kept\. To check it again and drop it, run /)

      yield* sql(url, "COMMENT ON SCHEMA petstore_prove IS 'petstore prove of somebody else'")
      assert.include(succeeding(yield* again), "is kept: this proof did not create it.")

      const orders = "petstore_prove.petstore_orders"
      const open = `(SELECT min(id) FROM ${orders} WHERE state = 'open')`
      const gone = yield* broken(
        `CREATE TABLE taken AS SELECT * FROM ${orders} WHERE id = ${open}; DELETE FROM ${orders} WHERE id = ${open}`,
        `INSERT INTO ${orders} SELECT * FROM taken; DROP TABLE taken`
      )
      assert.match(
        gone,
        /Lost: 1\n {2}call \d+ placed an order of \d of pet \d; order \d+ was acknowledged and is gone\n/
      )
      assert.match(gone, /Broken invariants: [1-9]/)
      assert.match(gone, /did not keep its promises: lost, broken invariants\.\n.*\n.* is kept for you to look into/)

      const twice = yield* broken(
        `CREATE TABLE copied AS SELECT * FROM ${orders} WHERE id = ${open}; UPDATE copied SET id = 900000; INSERT INTO ${orders} SELECT * FROM copied`,
        `DELETE FROM ${orders} WHERE id = 900000; DROP TABLE copied`
      )
      assert.match(twice, /Doubled: 1\n {2}call \d+ placed .*; its key placed the orders \d+ and 900000\n/)

      const few = yield* broken(
        `CREATE TABLE kept AS SELECT id, quantity FROM ${orders} WHERE id = ${open}; UPDATE ${orders} SET quantity = 1000000, pet_id = 1 WHERE id = ${open}`,
        `SELECT 1`
      )
      assert.match(few, /Oversold: 1\n {2}pet 1 had \d+ units, and 10\d+ are reserved or sold\n/)
      assert.isTrue(yield* hasSchema(url))
    })
  )

  live(
    "given that the schema itself is lost under load, then everything acknowledged is reported as lost",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const log = yield* newLog
      const stop = acknowledges(log, 40).pipe(
        // A DROP would wait for the locks of transactions, and could be the victim of a deadlock.
        Effect.andThen(sql(url, "ALTER SCHEMA petstore_prove RENAME TO gone")),
        Effect.as("SIGTERM" as const)
      )
      const text = failing(yield* run(url, ["--log", log, "--duration", "120"], stop))
      assert.match(text, /\nLost: [1-9]\d+\n {2}call \d+ /)
      assert.match(text, /did not keep its promises: lost/)
      const { code, stderr } = printed(yield* run(url, ["--resume", log]))
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /The schema petstore_prove has no tables at .*: this is another cluster, the proof dropped it, /
      )
    })
  )

  live(
    "given that the records of keys are lost, then repeated calls are found doubled",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const forget = sql(url, "DELETE FROM petstore_prove.petstore_idempotency").pipe(
        Effect.catchDefect(() => Effect.void),
        Effect.andThen(Effect.sleep("20 millis")),
        Effect.forever
      )
      const text = failing(yield* Effect.raceFirst(load(url, yield* newLog), forget))
      assert.match(text, /Doubled: [1-9]\d*\n/)
      assert.match(text, /The cluster did not keep its promises: [^\n]*doubled/)
    })
  )

  live(
    "given a server that crashes under load, then attempts fail, and nothing is lost; if it does not come back, the log is checked later",
    Effect.gen(function* () {
      const server = yield* postgresServer({ inMemory: true })
      const first = yield* newLog
      const crashes = Effect.gen(function* () {
        for (const calls of [20, 40]) {
          yield* acknowledges(first, calls)
          yield* Effect.promise(() => server.restart("immediate"))
        }
        yield* acknowledges(first, acknowledgedIn(first) + 20)
        return "SIGTERM" as const
      })
      const flags = ["--log", first, "--duration", "120", "--json", "--schema", "other_proof"]
      const report = JSON.parse(succeeding(yield* run(server.url(), flags, crashes)))
      assert.deepInclude(report, { ok: true, schema: "other_proof", unknown: 0, findings: [] })
      assert.isNotEmpty(Object.keys(report.failedAttempts))
      assert.isFalse(yield* hasSchema(server.url(), "other_proof"))

      const log = yield* newLog
      const crash = acknowledges(log, 50).pipe(
        Effect.andThen(Effect.promise(() => server.stop("immediate"))),
        Effect.as("SIGTERM" as const)
      )
      const left = yield* run(server.url(), ["--log", log, "--duration", "120", "--wait", "1"], crash)
      const { code, stderr } = printed(left)
      assert.strictEqual(code, 1)
      assert.match(stderr, /The cluster did not respond within 1 seconds\. When it does, run .* --resume ".*" --yes\.$/)
      yield* Effect.promise(() => server.start())
      assert.match(succeeding(yield* run(server.url(), ["--resume", log])), / and [1-9]\d* have no result\./)
      assert.isFalse(yield* hasSchema(server.url()))
    })
  )

  live(
    "given that the command itself is killed, then its log has every acknowledgement, and can be checked",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const log = yield* newLog
      const { child, ended } = yield* startPetstore(["prove", url, "--yes", "--log", log, "--duration", "60"])
      yield* acknowledges(log, 50)
      child.kill("SIGKILL")
      yield* ended
      assert.include(succeeding(yield* run(url, ["--resume", log])), "The schema petstore_prove is dropped.")
    })
  )
})
