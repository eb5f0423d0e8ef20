import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
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
      assert.match(yield* output(database, "keys", "list"), /shop/)
      assert.match(yield* output(database, "accounts", "list"), /shop/)
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
    "given two schemas in one database, then each is a petstore of its own",
    Effect.gen(function* () {
      const database = yield* testDatabase
      yield* output(database, "accounts", "create", "One", "--schema", "shop_one")
      yield* output(database, "accounts", "create", "Two", "--schema", "shop_two")
      assert.match(yield* output(database, "accounts", "list", "--schema", "shop_one"), /One/)
      assert.notMatch(yield* output(database, "accounts", "list", "--schema", "shop_one"), /Two/)
      const schemas = yield* Effect.promise(() =>
        query(
          database,
          "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'shop%' OR nspname = 'petstore' ORDER BY 1"
        )
      )
      assert.deepStrictEqual(
        schemas.map(({ nspname }) => nspname),
        ["shop_one", "shop_two"]
      )
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
    "given a database that does not exist, then one line reports it without the password, and the exit code is 1",
    Effect.gen(function* () {
      const missing = new URL(yield* testDatabase)
      missing.pathname = "/nowhere"
      const ended = yield* runPetstore(["keys", "list"], { PETSTORE_STORAGE: missing.href })
      const { code, stderr } = printed(ended)
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^petstore: Cannot open the schema petstore .*: database "nowhere" does not exist\. Create the database, or [^.]*\.$/
      )
      assert.notInclude(stderr, passwordOf(missing.href))
    })
  )

  live(
    "given a wrong password, then one line reports it without the password, and the exit code is 1",
    Effect.gen(function* () {
      const storage = withPassword(yield* testDatabase, "hunter2")
      const { code, stderr } = printed(yield* runPetstore(["keys", "list"], { PETSTORE_STORAGE: storage }))
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^petstore: Cannot open the schema petstore .*: password authentication failed for user "\w+"\. Check the user and the password, [^.]*\.$/
      )
      assert.notInclude(stderr, "hunter2")
    })
  )

  live(
    "given no server, then one line reports it without the password, and the exit code is 1",
    Effect.gen(function* () {
      const args = ["keys", "list", "--storage", "postgres://petstore:hunter2@127.0.0.1:1/shop"]
      const { code, stderr } = printed(yield* runPetstore(args))
      assert.deepStrictEqual(
        { code, stderr },
        {
          code: 1,
          stderr:
            "petstore: Cannot open the schema petstore of PostgreSQL at 127.0.0.1:1, database shop: connect ECONNREFUSED 127.0.0.1:1."
        }
      )
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
    "given a URL with a password, then the log shows the database and what each server counts, and not the password",
    Effect.gen(function* () {
      const storage = yield* testDatabase
      const server = yield* startServer(["--storage", storage, "--schema", "shop"])
      yield* server.said(/Rate limit: 60000 requests per minute and key on this server/)
      const { hostname, pathname, port } = new URL(storage)
      assert.include(
        server.stderr(),
        `Storage: PostgreSQL at ${hostname}:${port}, database ${pathname.slice(1)}, schema shop`
      )
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
      assert.notInclude(server.stdout() + server.stderr(), passwordOf(storage))
    })
  )

  live(
    "given a replica, timeouts and groups, then it serves with them, and the log shows the standby without the password",
    Effect.gen(function* () {
      const storage = yield* testDatabase
      const timeouts = [
        "--lock-timeout",
        "1 second",
        "--storage-timeout",
        "8 seconds",
        "--connect-timeout",
        "4 seconds"
      ]
      const env = { PETSTORE_REPLICA: storage, PETSTORE_STATEMENT_TIMEOUT: "20 seconds" }
      const server = yield* startServer(["--storage", storage, "--groups", "0", ...timeouts], { env })
      yield* server.said(/Lists are read from the standby at [\w.]+:\d+, database \w+ while it is up to date/)
      // It is the primary, so it serves the lists itself.
      const [, key = ""] = yield* server.printed(/^(psk_\S+)\n/)
      const headers = { authorization: `Bearer ${key}` }
      const { status } = yield* Effect.promise((signal) => fetch(`${server.url}/pets`, { signal, headers }))
      assert.strictEqual(status, 200)
      assert.notInclude(server.stderr(), passwordOf(storage))
    })
  )

  for (const source of ["PGPASSWORD", "PGPASSFILE"]) {
    live(
      `given the password by ${source} and none in the URL, then it serves`,
      Effect.gen(function* () {
        const direct = yield* testDatabase
        const { hostname, port, username } = new URL(direct)
        const file = join(yield* temporaryFolder, "pgpass")
        writeFileSync(file, `${hostname}:${port}:*:${username}:${passwordOf(direct)}\n`, { mode: 0o600 })
        const env = source === "PGPASSWORD" ? { PGPASSWORD: passwordOf(direct) } : { PGPASSFILE: file }
        const server = yield* startServer(["--storage", withPassword(direct, "")], { env })
        yield* responds(`${new URL(server.url).origin}/health/ready`, 200)
      })
    )
  }

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
    "given that the database stays down, then it exits with 1 when its time to wait is over",
    Effect.gen(function* () {
      const server = yield* startPetstore([
        "serve",
        "--port",
        "0",
        "--storage",
        "postgres://u:hunter2@127.0.0.1:1/shop",
        "--startup-timeout",
        "3"
      ])
      assert.strictEqual(yield* server.ended, 1)
      // A busy machine may need so long for an attempt that there is no time for a third one.
      assert.match(
        server.stderr(),
        /Next attempt in 0\.5 s, for [1-3] s more[^\n]*\n(?:[^\n]*Next attempt in 1 s, for [1-3] s more[^\n]*\n)?petstore: Cannot open the schema [^\n]*ECONNREFUSED[^\n]*\n$/
      )
      assert.notMatch(server.stderr(), /hunter|Next attempt in 2 s/)
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
