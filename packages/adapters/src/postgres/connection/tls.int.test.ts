import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { certificateAuthority, serverCertificate } from "../../../test/support/postgres/certificate.ts"
import { openHostPool } from "../../../test/support/postgres/hostPool.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { PostgresServer, query } from "../../../test/support/postgres.ts"

const authority = certificateAuthority()
const stranger = certificateAuthority()

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.create({ inMemory: true })
  const { certificate, key } = serverCertificate(authority, "127.0.0.1")
  for (const [name, text] of Object.entries({ "server.crt": certificate, "server.key": key })) {
    writeFileSync(join(server.directory, name), text, { mode: 0o600 })
    server.own(join(server.directory, name))
  }
  writeFileSync(join(server.folder, "authority.pem"), authority.certificate)
  writeFileSync(join(server.folder, "stranger.pem"), stranger.certificate)
  server.set({ ssl: true })
  await server.start()
})
afterAll(() => server.remove())

const url = (parameters: string, host = "127.0.0.1") =>
  `${server.url().replace("127.0.0.1", host)}?${parameters.replaceAll("FOLDER", server.folder)}`

/** How the petstore is connected. */
const isEncrypted = Effect.promise(async () => {
  const [row] = await query(
    server.url(),
    "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'"
  )
  return row?.ssl
})

describe("given a PostgreSQL server with a certificate", () => {
  for (const [parameters, encrypted] of [
    ["sslmode=disable", false],
    ["sslmode=no-verify", true],
    ["sslmode=verify-full&sslrootcert=FOLDER/authority.pem", true],
    ["sslmode=require&sslrootcert=FOLDER/authority.pem", true]
  ] as const) {
    it.effect(`when the URL has ${parameters}, then the connection is ${encrypted ? "" : "not "}encrypted`, () =>
      Effect.gen(function* () {
        yield* openPostgres(url(parameters))
        assert.strictEqual(yield* isEncrypted, encrypted)
      })
    )
  }

  it.effect("when the option ssl has the authority, then the connection is encrypted", () =>
    Effect.gen(function* () {
      yield* openPostgres({ url: server.url(), ssl: { ca: authority.certificate } })
      assert.strictEqual(yield* isEncrypted, true)
    })
  )

  for (const [reason, parameters, host] of [
    ["its authority is unknown", "sslmode=verify-full", "127.0.0.1"],
    ["another authority has signed it", "sslmode=verify-full&sslrootcert=FOLDER/stranger.pem", "127.0.0.1"],
    ["it is for another host", "sslmode=verify-full&sslrootcert=FOLDER/authority.pem", "localhost"]
  ] as const) {
    it.effect(`when the certificate is refused because ${reason}, then the error names what to set`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(openPostgres(url(parameters, host)))
        assert.match(
          String(error),
          /InternalError: Cannot open the store at .*sslrootcert=.*ssl: \{ ca \}.*sslmode=no-verify/
        )
        assert.notInclude(String(error), new URL(server.url()).password)
      })
    )
  }

  it.effect("when the server has no TLS, then the error says so", () =>
    Effect.gen(function* () {
      const plain = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const made = await PostgresServer.create({ inMemory: true })
          await made.start()
          return made
        }),
        (made) => Effect.promise(() => made.remove())
      )
      const error = yield* Effect.flip(openPostgres(`${plain.url()}?sslmode=require`))
      assert.match(String(error), /does not support SSL connections.*Turn on ssl on the server, or set sslmode=disable/)
    })
  )

  it.effect("when a pool of the app brings TLS, then it is used as it is", () =>
    Effect.gen(function* () {
      const pool = yield* openHostPool({
        connectionString: server.url(),
        ssl: { ca: authority.certificate },
        application_name: "petstore"
      })
      yield* openPostgres({ pool })
      assert.strictEqual(yield* isEncrypted, true)
    })
  )
})
