import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { query, tcpProxy, testDatabase } from "../../../adapters/test/support/postgres.ts"
import { printed } from "../../test/support/cliTest.ts"
import { temporaryFolder } from "../../test/support/folder.ts"
import { startPetstore, startServer } from "../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../test/support/runPetstore.ts"

const live = (name: string, body: Effect.Effect<void, never, Scope.Scope>) => it.live(name, () => Effect.scoped(body))

/** The same URL with another password. */
const withPassword = (url: string, password: string): string => {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}

/** A password that must not appear anywhere. */
const passwordOf = (url: string): string => decodeURIComponent(new URL(url).password) || "no password"

/** Runs a subcommand that must succeed, and returns its standard output. */
const output = (storage: string, ...args: ReadonlyArray<string>) =>
  Effect.map(runPetstore(args, { PETSTORE_STORAGE: storage }), (ended) => {
    const { code, stderr, stdout } = printed(ended)
    assert.strictEqual(code, 0, stderr)
    return stdout
  })

const statusOf = (url: string) =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, { signal })
    await response.text()
    return response.status
  })

/** Completes when a URL responds with a status. */
const responds = (url: string, status: number): Effect.Effect<void> =>
  Effect.repeat(Effect.delay(statusOf(url), "50 millis"), { until: (found) => found === status }).pipe(
    Effect.asVoid,
    Effect.timeout("20 seconds"),
    Effect.orDie
  )

describe("the subcommands on PostgreSQL", () => {
  live(
    "given a parameter of the URL that nobody reads, then they exit with 2, and name it",
    Effect.gen(function* () {
      const url = yield* testDatabase
      for (const args of [["migrate"], ["doctor"], ["doctor", "--cluster"], ["verify"]]) {
        const { code, stderr } = printed(yield* runPetstore(args, { PETSTORE_STORAGE: `${url}?pgbouncer=true` }))
        assert.strictEqual(code, 2)
        assert.include(stderr, "Write prepare=false instead")
      }
    })
  )

  live(
    "given a server that does not sync, when the doctor looks at the cluster, then it names the setting, concludes, and exits with 1",
    Effect.gen(function* () {
      const args = ["doctor", "--cluster", "--storage", yield* testDatabase]
      const { code, stdout } = yield* runPetstore(args)
      assert.strictEqual(code, 1)
      assert.include(stdout, "PROBLEM fsync: off; a crash of the machine loses commits. Set it to on.")
      assert.include(stdout, "ok      synchronous_commit: on")
      assert.match(
        stdout.at(-1) ?? "",
        /^Does an acknowledged order survive the loss of a machine\? No: with fsync off/
      )
    })
  )

  live(
    "given a new database, then it is migrated, filled, listed and verified like a file",
    Effect.gen(function* () {
      const database = yield* testDatabase
      const key = yield* output(database, "keys", "create", "--account", "shop", "--preset", "read")
      assert.match(key, /^psk_1_[0-9A-Za-z]{49}$/)
      assert.match(yield* output(database, "call", "listApiKeys"), /"accountId": 1/)
      assert.match(yield* output(database, "call", "listAccounts"), /shop/)
      const file = join(yield* temporaryFolder, "pets.csv")
      writeFileSync(file, "name,category,quantity\nRex,Dogs,3\nTom,Cats,1\n")
      assert.match(yield* output(database, "import", file), /imported 2/)
      assert.match(yield* output(database, "verify"), /0 violations/)
      const migrations = (yield* output(database, "migrate")).split("\n")
      assert.match(migrations[0] ?? "", /^migration +name +applied$/)
      assert.isTrue(migrations.slice(1).every((line) => / \d{4}-\d\d-\d\dT\S+$/.test(line)))
    })
  )

  live(
    "given a database without the tables, then verify creates none, and says what to do",
    Effect.gen(function* () {
      const database = yield* testDatabase
      const { code, stderr } = printed(yield* runPetstore(["verify"], { PETSTORE_STORAGE: database }))
      assert.strictEqual(code, 1)
      assert.match(stderr, /^petstore: Cannot open the schema petstore of PostgreSQL at .*Run "petstore migrate"/)
      const tables = yield* Effect.promise(() =>
        query(database, "SELECT 1 FROM pg_class WHERE relname LIKE 'petstore%'")
      )
      assert.deepStrictEqual(tables, [])
    })
  )

  live(
    "given no such database, a wrong password or no server, then one line reports it without the password, and the exit code is 1",
    Effect.gen(function* () {
      const url = yield* testDatabase
      const missing = new URL(url)
      missing.pathname = "/nowhere"
      for (const [storage, says] of [
        [missing.href, /database "nowhere" does not exist\. Create the database, or [^.]*\.$/],
        [
          withPassword(url, "hunter2"),
          /password authentication failed for user "\w+"\. Check the user and the password, [^.]*\.$/
        ],
        [
          "postgres://petstore:hunter2@127.0.0.1:1/shop",
          /PostgreSQL at 127\.0\.0\.1:1, database shop: connect ECONNREFUSED 127\.0\.0\.1:1\.$/
        ]
      ] as const) {
        const { code, stderr } = printed(yield* runPetstore(["call", "listApiKeys"], { PETSTORE_STORAGE: storage }))
        assert.strictEqual(code, 1)
        assert.match(stderr, /^petstore: Cannot open the schema petstore [^\n]*$/)
        assert.match(stderr, says)
        assert.notInclude(stderr, passwordOf(storage))
      }
    })
  )

  live(
    "given that the package pg is not installed, then one line says how to install it",
    Effect.gen(function* () {
      const hook = `import { registerHooks } from "node:module"
        registerHooks({ resolve: (name, context, next) => {
          if (name === "pg") throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" })
          return next(name, context)
        } })`
      const { ended, stderr } = yield* startPetstore(["verify", "--storage", "postgres://127.0.0.1:1/shop"], {
        env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` }
      })
      assert.strictEqual(yield* ended, 1)
      assert.match(stderr(), /^petstore: .*needs the package "pg"\. Install it: npm install pg\.\n$/)
    })
  )
})

describe("a server on PostgreSQL", () => {
  live(
    "given a replica, a schema, timeouts and groups, then it serves with them, and the log shows both databases without a password",
    Effect.gen(function* () {
      const storage = yield* testDatabase
      const timeouts = [
        ...["--lock-timeout", "1 second", "--storage-timeout", "8 seconds"],
        ...["--connect-timeout", "4 seconds"]
      ]
      const env = { PETSTORE_REPLICA: storage, PETSTORE_STATEMENT_TIMEOUT: "20 seconds" }
      const server = yield* startServer(["--storage", storage, "--schema", "shop", "--groups", "0", ...timeouts], {
        env
      })
      yield* server.said(/Lists are read from the standby at [\w.]+:\d+, database \w+ while it is up to date/)
      yield* server.said(/Rate limit: 60000 requests per minute and key on this server/)
      const { hostname, pathname, port } = new URL(storage)
      assert.include(
        server.stderr(),
        `Storage: PostgreSQL at ${hostname}:${port}, database ${pathname.slice(1)}, schema shop`
      )
      // It is the primary, so it serves the lists itself.
      const [, key = ""] = yield* server.printed(/^(psk_\S+)\n/)
      const headers = { authorization: `Bearer ${key}` }
      const { status } = yield* Effect.promise((signal) => fetch(`${server.url}/pets`, { signal, headers }))
      assert.strictEqual(status, 200)
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
      assert.notInclude(server.stdout() + server.stderr(), passwordOf(storage))
    })
  )

  live(
    "given that the database goes away and comes back, then it is not ready in between, and heals by itself",
    Effect.gen(function* () {
      const database = yield* testDatabase
      const proxy = yield* tcpProxy(database)
      const server = yield* startServer(["--storage", proxy.url(database)])
      const { origin } = new URL(server.url)
      yield* responds(`${origin}/health/ready`, 200)
      proxy.refuse()
      yield* responds(`${origin}/health/ready`, 503)
      assert.strictEqual(yield* statusOf(`${origin}/health/live`), 200)
      proxy.accept()
      yield* responds(`${origin}/health/ready`, 200)
      yield* server.said(/ready again/)
    })
  )

  live(
    "given that the database is down at the start, then it logs each attempt, and serves when the database is there",
    Effect.gen(function* () {
      const database = yield* testDatabase
      const proxy = yield* tcpProxy(database)
      proxy.refuse()
      const server = yield* startPetstore(["serve", "--port", "0", "--storage", proxy.url(database)])
      yield* server.said(/Cannot open the schema petstore [^\n]*Next attempt in 0\.5 s, for (?:60|5\d) s more/)
      yield* server.said(/Next attempt in 1 s/)
      assert.notMatch(server.stderr(), /is listening/)
      proxy.accept()
      yield* server.said(/is listening/)
    })
  )

  live(
    "given a machine whose clock is eight days ahead, then keys are created and rotated by the clock of the database",
    Effect.gen(function* () {
      const database = yield* testDatabase
      const systemTime = Date.now
      const days = (count: number) => new Date(systemTime() + count * 86_400_000).toISOString()
      const create = (expiresAt: string, account: string) =>
        ["keys", "create", "--account", account, "--preset", "read", "--expires-at", expiresAt] as const
      yield* output(database, ...create(days(5), "shop"))
      const clock = vi.spyOn(Date, "now").mockImplementation(() => systemTime() + 8 * 86_400_000)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      yield* output(database, ...create(days(5), "shop"))
      yield* output(database, "keys", "rotate", "1")
      clock.mockImplementation(() => systemTime() - 8 * 86_400_000)
      const { code, stderr } = printed(yield* runPetstore(create(days(-5), "till"), { PETSTORE_STORAGE: database }))
      assert.strictEqual(code, 2)
      assert.match(stderr, /\npetstore: --expires-at: Expected a time in the future\.$/)
      assert.notInclude(yield* output(database, "call", "listAccounts"), "till")
    })
  )

  live(
    "given a signal while it waits for the database, then it stops with 0",
    Effect.gen(function* () {
      const server = yield* startPetstore(["serve", "--port", "0", "--storage", "postgres://127.0.0.1:1/shop"])
      yield* server.said(/Next attempt/)
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
    })
  )
})
