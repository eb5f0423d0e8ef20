import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { PostgresServer, query, tcpProxy, testDatabaseOf } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

/** Sets variables of the environment until the scope ends. */
const withEnvironment = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { ...process.env }
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const name of Object.keys(variables)) delete process.env[name]
        Object.assign(process.env, before)
      })
  )

/** A password file, in a folder that goes with the scope. */
const passwordFile = (text: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-home-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      writeFileSync(join(folder, ".pgpass"), text, { mode: 0o600 })
      return folder
    }
  )

const secret = "s3cret-P4ss/word#1"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.create({ inMemory: true })
  await server.start()
})
afterAll(() => server.remove())

/** The URL of a database for a user with this password, without it. */
const shop = Effect.gen(function* () {
  const run = (sql: string) => Effect.promise(() => query(server.url(), sql))
  yield* Effect.acquireRelease(run(`CREATE ROLE shop LOGIN PASSWORD '${secret}'`), () => run("DROP ROLE shop"))
  const url = new URL(yield* testDatabaseOf({ server: server.url() }))
  yield* run(`GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO shop`)
  url.username = "shop"
  url.password = ""
  return url
})

const withPassword = (url: URL, password: string): string => {
  const changed = new URL(url)
  changed.password = encodeURIComponent(password)
  return changed.href
}

/** Everything that a log could show of a value. */
const everythingIn = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)].join("\n")

const assertHidden = (value: unknown, password = secret): void => {
  for (const form of [password, encodeURIComponent(password)]) assert.notInclude(everythingIn(value), form)
}

describe("given a PostgreSQL user with a password", () => {
  it.effect("when the password is in the URL, PGPASSWORD or a file, then the petstore opens without a warning", () =>
    Effect.gen(function* () {
      const warnings: Array<unknown> = []
      const note = (warning: Error) => warnings.push(warning.message)
      process.on("warning", note)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.removeListener("warning", note)))
      const url = yield* shop
      yield* openPostgres(withPassword(url, secret))
      yield* Effect.scoped(Effect.andThen(withEnvironment({ PGPASSWORD: secret }), openPostgres(url.href)))
      const home = yield* passwordFile(`127.0.0.1:${url.port}:*:shop:${secret}\n`)
      yield* Effect.scoped(
        Effect.andThen(withEnvironment({ PGPASSFILE: join(home, ".pgpass") }), openPostgres(url.href))
      )
      yield* Effect.scoped(Effect.andThen(withEnvironment({ HOME: home }), openPostgres(url.href)))
      assert.deepStrictEqual(warnings, [])
      assert.notInclude(yield* Effect.promise(() => server.log()), secret)
    })
  )

  it.effect("when the password is wrong or missing, then the error says what to check, and shows none", () =>
    Effect.gen(function* () {
      const url = yield* shop
      const wrong = "Wr0ng/secret#2"
      const refused = yield* Effect.flip(openPostgres(withPassword(url, wrong)))
      assert.match(
        String(refused),
        /InternalError: Cannot open the store at 127\.0\.0\.1:\d+\/test_\w+: password authentication failed for user "shop"\. Check the user and the password/
      )
      assertHidden(refused, wrong)
      const home = yield* passwordFile("")
      yield* withEnvironment({ HOME: home })
      const missing = yield* Effect.flip(openPostgres(url.href))
      assert.match(String(missing), /InternalError: Cannot open .* in the URL, in PGPASSWORD or in a password file/)
    })
  )

  it.effect("when calls fail, then neither errors, causes, the adapter nor the petstore show the password", () =>
    Effect.gen(function* () {
      const url = yield* shop
      const proxy = yield* tcpProxy(url.href)
      const address = proxy.url(withPassword(url, secret))
      assertHidden(postgres(address))
      assertHidden(postgres({ url: address, prepare: false }))
      const petstore = yield* openPostgres(address)
      const petId = yield* Effect.promise(() => petToSell(petstore))
      assertHidden(petstore)
      yield* Effect.promise(async () => {
        proxy.loseCommit("after the server")
        assertHidden(await assertRejects(petstore.orders.place({ petId }), "commit_unknown"))
        proxy.refuse()
        const calls = [() => petstore.orders.place({ petId }), () => petstore.pets.get(petId), () => petstore.verify()]
        for (const call of calls) {
          const error = await call().then(
            () => assert.fail("succeeded"),
            (failure: unknown) => failure
          )
          assertHidden(error)
        }
        proxy.accept()
        await query(server.url(), "ALTER ROLE shop PASSWORD 'another'")
        proxy.cut()
        const rotated = await assertRejects(petstore.orders.place({ petId }), "storage_unavailable")
        assertHidden(rotated)
        assert.match(String(rotated.cause), /password authentication failed/)
        assert.notInclude(await server.log(), secret)
      })
    })
  )

  it.effect("when the URL is malformed or names nothing, then the error does not show the password", () =>
    Effect.gen(function* () {
      const url = yield* shop
      const addresses = [
        `postgres://shop:${secret}@127.0.0.1:${url.port}/x`,
        `postgres://shop:${encodeURIComponent(secret)}@127.0.0.1:notaport/x`,
        `postgres://shop:${encodeURIComponent(secret)}@[::1/x`,
        `postgres://shop:${encodeURIComponent(secret)}@host.invalid,127.0.0.1:1/x`,
        withPassword(url, secret).replace(/\/test_\w+/, "/missing")
      ]
      for (const address of addresses) {
        const error = yield* Effect.flip(Effect.scoped(openPostgres({ url: address, connectTimeout: 2_000 })))
        assertHidden(error)
        assert.match(String(error), /InternalError: |StorageUnavailable: /, address)
        for (const part of ["s3cret", "P4ss", "word"])
          assert.notInclude(everythingIn(error).replaceAll("password", ""), part)
      }
    })
  )
})
