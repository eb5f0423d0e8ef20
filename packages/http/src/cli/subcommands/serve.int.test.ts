import { existsSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { type PetstoreProcess, startPetstore, startServer } from "../../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"

const live = (name: string, body: (folder: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, body)))

const get = (url: string, key?: string) =>
  Effect.promise((signal) =>
    fetch(url, { signal, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
  )

/** The status and the body of the response to a POST. */
const post = (url: string, key: string, body: unknown) =>
  Effect.promise(async (signal) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", signal, headers, body: JSON.stringify(body) })
    return [response.status, await response.json()] as const
  })

const send = (signal: NodeJS.Signals, { child }: { readonly child: { kill(signal: NodeJS.Signals): boolean } }) =>
  Effect.sync(() => child.kill(signal))

/** The admin key that a first start prints, on the first line of its standard output; the second is a request with it. */
const printedKey = (server: PetstoreProcess): Effect.Effect<string> =>
  Effect.map(server.printed(/^(psk_1_[0-9A-Za-z]{49})\ncurl [^\n]+\n$/), ([, key = ""]) => key)

/** Sends the beginning of a request, and waits until the server handles it. */
const halfARequest = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const { hostname, pathname, port } = new URL(`${url}/pets`)
      const socket = connect(Number(port), hostname)
      socket.on("error", () => {})
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          "Expect: 100-continue\r\nContent-Length: 50\r\n\r\n"
      )
      // The server sends 100 Continue when it handles the request.
      socket.once("data", () => {
        socket.write('{"name":')
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("petstore serve", () => {
  live("given a customer, then they hold no more than the server allows, and staff hold what they like", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:", "--customer-drafts", "1"])
      const admin = yield* printedKey(server)
      const keyOf = (preset: string) =>
        Effect.map(post(`${server.url}/api-keys`, admin, { accountId: 1, name: preset, preset }), ([, { key }]) => key)
      const [customer, staff] = [yield* keyOf("customer"), yield* keyOf("write")]
      const draft = (key: string) => post(`${server.url}/store/orders`, key, {})
      assert.strictEqual((yield* draft(customer))[0], 201)
      const [status, { code, details }] = yield* draft(customer)
      assert.deepStrictEqual([status, code], [409, "order_limit_exceeded"])
      assert.deepStrictEqual(details, { limit: "drafts", maximum: 1, held: 1, requested: 1 })
      for (let n = 0; n < 2; n++) assert.strictEqual((yield* draft(staff))[0], 201)
    })
  )

  live(
    "given a first start, then it prints an admin key and a request that works with it, and the next start does not",
    (folder) =>
      Effect.gen(function* () {
        const storage = ["--storage", `sqlite:${join(folder, "pets.db")}`]
        const first = yield* startServer(storage)
        const key = yield* printedKey(first)
        assert.strictEqual((yield* get(`${first.url}/accounts`, key)).status, 200)
        const [, line = ""] = yield* first.printed(/\n(curl .*)\n/)
        const [, shownKey, address = ""] = /^curl -H 'Authorization: Bearer ([^']+)' '([^']+)'$/.exec(line) ?? []
        assert.deepStrictEqual([shownKey, address], [key, `${first.url}/pets`])
        const pets = yield* get(address, key)
        assert.deepStrictEqual([pets.status, yield* Effect.promise(() => pets.json())], [200, []])
        yield* first.said(/There are no pets yet: .*petstore import --sample/)
        assert.deepInclude(yield* runPetstore(["import", "--sample", ...storage]), { code: 0, stderr: [] })
        const sample = yield* get(address, key)
        assert.strictEqual(((yield* Effect.promise(() => sample.json())) as ReadonlyArray<unknown>).length, 20)
        const [, docs = ""] = yield* first.said(/API reference: (http:[^\s"]+)/)
        assert.strictEqual((yield* get(docs, "")).status, 200)
        assert.strictEqual((yield* get(first.url, "")).status, 200)
        yield* send("SIGTERM", first)
        assert.strictEqual(yield* first.ended, 0)
        assert.strictEqual(first.stdout(), `${key}\n${line}\n`)
        assert.notInclude(first.stderr(), key.slice(6))

        const second = yield* startServer(storage)
        assert.strictEqual((yield* get(`${second.url}/accounts`, key)).status, 200)
        yield* send("SIGINT", second)
        assert.strictEqual(yield* second.ended, 0)
        assert.strictEqual(second.stdout(), "")
        assert.isFalse(existsSync(join(folder, "pets.db-wal")))
      })
  )

  live(
    "given an admin key in the environment, then it works, and keys of other processes take effect at once",
    (folder) =>
      Effect.gen(function* () {
        const PETSTORE_ADMIN_KEY = "environment-admin-key-0123456789"
        const PETSTORE_STORAGE = `sqlite:${join(folder, "pets.db")}`
        const env = { PETSTORE_STORAGE }
        const server = yield* startServer(["--base-path", "/shop/v2"], { env: { ...env, PETSTORE_ADMIN_KEY } })
        assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/shop\/v2$/)
        // It is not stored.
        const keys = yield* get(`${server.url}/api-keys`, PETSTORE_ADMIN_KEY)
        assert.deepStrictEqual([keys.status, yield* Effect.promise(() => keys.json())], [200, []])

        const create = yield* startPetstore(["keys", "create", "--account", "shop", "--preset", "read"], { env })
        assert.strictEqual(yield* create.ended, 0)
        assert.strictEqual(create.stderr(), "")
        const key = create.stdout().trim()
        assert.strictEqual((yield* get(`${server.url}/pets`, key)).status, 200)
        const revoke = yield* startPetstore(["keys", "revoke", "1"], { env })
        assert.strictEqual(yield* revoke.ended, 0)
        assert.strictEqual((yield* get(`${server.url}/pets`, key)).status, 401)
        assert.notInclude(server.stdout() + server.stderr(), PETSTORE_ADMIN_KEY)
      })
  )

  live(
    "given --rate-limit, --metrics and a port, then requests are limited and counted, and no other server has the port",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(["--storage", "memory:", "--rate-limit", "1", "--metrics", "0"])
        const key = yield* printedKey(server)
        const statuses = [
          (yield* get(`${server.url}/pets`, key)).status,
          (yield* get(`${server.url}/pets`, key)).status
        ]
        assert.deepStrictEqual(statuses, [200, 429])

        const [, metrics = ""] = yield* server.said(/Metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)/)
        const reply = yield* get(metrics)
        assert.strictEqual(reply.status, 200)
        assert.match(yield* Effect.promise(() => reply.text()), /^petstore_uptime_seconds\{storage="memory"\} \d/m)
        const { origin, port } = new URL(server.url)
        assert.strictEqual((yield* get(`${origin}/metrics`)).status, 404)

        const second = yield* startPetstore(["serve", "--port", port, "--storage", "memory:"])
        assert.strictEqual(yield* second.ended, 1)
        assert.strictEqual(second.stdout(), "")
        assert.strictEqual(
          second.stderr(),
          `petstore: Cannot listen on 127.0.0.1 port ${port}: another program is listening there.\n`
        )
      })
  )

  live("given a signal again and again, also while the process ends, then it exits with 0 all the same", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      yield* send("SIGINT", server)
      const again = setInterval(() => server.child.kill("SIGTERM"), 1)
      // A signal that comes a second after the first one ends the process at once.
      yield* Effect.raceFirst(server.ended, Effect.sleep("500 millis"))
      clearInterval(again)
      assert.strictEqual(yield* server.ended, 0)
      assert.match(server.stderr(), /petstore has stopped/)
    })
  )

  live("given a request without a key, then the line of its response names no actor", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:", "--access-log", "on"])
      yield* get(`${server.url}/pets`, "unknown")
      const [line] = yield* server.said(/.*GET \/v1\/pets 401.*/)
      assert.include(line, "operation=listPets")
      assert.notInclude(line, "undefined")
    })
  )

  live("given a request in progress, then it gets its response before the server ends", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      const socket = yield* halfARequest(server.url, yield* printedKey(server))
      let response = ""
      socket.on("data", (data) => {
        response += data
      })
      yield* send("SIGTERM", server)
      yield* server.said(/petstore is stopping/)
      socket.write('"Tom","categoryId":1}'.padEnd(42))
      yield* Effect.promise(() => new Promise((resolve) => socket.once("close", resolve)))
      assert.strictEqual(yield* server.ended, 0)
      assert.match(response, /^HTTP\/1\.1 409 /)
      assert.include(response, "unknown_category")
    })
  )

  live("given a second signal a second after the first, then it ends at once, without finishing requests", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      yield* halfARequest(server.url, yield* printedKey(server))
      yield* send("SIGTERM", server)
      yield* server.said(/petstore is stopping/)
      const repeated = yield* Effect.forkChild(Effect.forever(Effect.delay(send("SIGTERM", server), "100 millis")))
      // Would be 0 if it had drained.
      assert.strictEqual(yield* server.ended, 143)
      assert.isUndefined(repeated.pollUnsafe())
    })
  )
})

describe("a server that npm started", () => {
  live("given the end of the shell in between, which forwards no signal, then it drains and ends", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"], {
        env: { npm_lifecycle_event: "start" },
        shell: true
      })
      yield* send("SIGTERM", server)
      // The end of its output is the end of the server, which outlives the shell.
      yield* server.ended
      assert.match(server.stderr(), /petstore is stopping \(SIGTERM\)[\s\S]*petstore has stopped/)
    })
  )
})
