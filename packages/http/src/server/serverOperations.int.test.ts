import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import { StorageUnavailable } from "@petstore/core/domain"
import { layer, Stats, UseCaseRunner, useCases } from "@petstore/core/runtime"
import { createHandler, type HostPrincipal } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { startServer } from "../../test/support/TestServer.ts"
import type { ServerStats, StatsPoint } from "../api/Server.ts"
import { sharedStats } from "./sharedStats.ts"

const adminKey = "an-admin-key-for-this-test"
const expiresAt = "2999-01-01T00:00:00.000Z"

describe("GET /session", () => {
  it.effect("given a key, the admin key and nobody, then it says who calls, and nothing without a key", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const account = yield* Context.get(server.runtime, UseCaseRunner).call(useCases.accounts.create, { name: "Shop" })
      const made = yield* Context.get(server.runtime, UseCaseRunner).call(useCases.apiKeys.create, {
        accountId: account.value.id,
        name: "till",
        preset: "customer",
        expiresAt
      })
      const ofKey = yield* server.send("GET", "/v1/session", { key: made.key })
      assert.deepStrictEqual(ofKey.body, {
        actor: `key:${made.id}`,
        keyId: made.id,
        name: "till",
        accountId: account.value.id,
        scopes: ["pets:read", "inventory:read", "orders:own", "events:inventory"],
        expiresAt
      })
      const ofAdmin = yield* server.send("GET", "/v1/session")
      assert.deepStrictEqual(ofAdmin.body, { actor: "admin", scopes: ["admin"] })
      const ofNobody = yield* server.send("GET", "/v1/session", { key: "psk_1_unknown" })
      assert.strictEqual(ofNobody.status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("given users of an app, then it says who is signed in, and with which account", () =>
    Effect.gen(function* () {
      const user: HostPrincipal = { actor: "user:7", accountId: 3, scopes: ["stats:read"] }
      const server = yield* startServer({
        authenticate: ({ headers }: IncomingMessage) => (headers.cookie === "session=1" ? user : undefined)
      })
      const signedIn = yield* server.send("GET", "/v1/session", { headers: { cookie: "session=1" } })
      assert.deepStrictEqual(signedIn.body, user)
    }).pipe(Effect.scoped)
  )
})

describe("GET /session of a server with indexes", () => {
  it("given indexes and words, then it names them", async () => {
    const indexes = ["orders.createdAt", "events.subject"] as const
    const petstore = await createPetstore({ indexes, search: "words" })
    const handler = createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes: [] }) })
    const response = await handler.fetch(new Request("http://pets.example/v1/session"))
    assert.deepStrictEqual(await response.json(), {
      actor: "user:7",
      scopes: [],
      indexes: [...indexes],
      search: "words"
    })
    await handler.close()
    await petstore.close()
  })
})

describe("GET /stats", () => {
  it.effect("given several callers within a second, then they share one reading, and the next second has another", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const keys = yield* Effect.all([server.keyWith(["stats:read"]), server.keyWith(["stats:read"])])
      const read = (key: string) =>
        Effect.map(server.send("GET", "/v1/stats", { key }), ({ body }) => body as typeof ServerStats.Type)
      const first = yield* read(keys[0])
      yield* server.send("POST", "/v1/categories", { body: { name: "Cats" } })
      assert.deepStrictEqual(yield* read(keys[1]), first)
      yield* TestClock.adjust("1 second")
      const later = yield* read(keys[1])
      assert.strictEqual(later.events.latest - first.events.latest, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("given a store that fails, when it works again, then the next caller gets numbers at once", () =>
    Effect.gen(function* () {
      const stats = Context.get(yield* Layer.build(layer(memory())), Stats)
      let failures = 1
      const read = Effect.suspend(() => (failures-- > 0 ? Effect.fail(new StorageUnavailable({})) : stats.read))
      const shared = sharedStats(Context.make(Stats, { read }).pipe(Context.add(Clock.Clock, yield* Clock.Clock)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(shared.read())))
      assert.strictEqual((yield* shared.read()).storage, "memory")
    }).pipe(Effect.scoped)
  )
})

describe("GET /stats/history", () => {
  it.effect("given readings over time, then it has a point every 5 seconds of the last 15 minutes, and of now", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const key = yield* server.keyWith(["stats:read"])
      const ask = (path: string) => Effect.map(server.send("GET", path, { key }), ({ body }) => body)
      const times = Effect.map(ask("/v1/stats/history"), (body) =>
        (body as ReadonlyArray<StatsPoint>).map(({ at }) => Date.parse(at))
      )
      const [start = 0] = yield* times
      for (let second = 1; second <= 12; second++) {
        yield* TestClock.adjust("1 second")
        yield* ask("/v1/stats")
      }
      assert.deepStrictEqual(
        (yield* times).map((at) => (at - start) / 1000),
        [0, 5, 10, 12]
      )
      yield* TestClock.adjust("15 minutes")
      assert.lengthOf(yield* times, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a client", () => {
  it("when it asks for the session and the statistics, then it returns what the server says", async () => {
    const handler = createHandler(await createPetstore(), { adminKey })
    const baseUrl = "http://pets.example/v1"
    const petstore = createClient({
      baseUrl,
      key: adminKey,
      fetch: (url, init) => handler.fetch(new Request(url, init))
    })
    assert.deepStrictEqual(await petstore.session(), { actor: "admin", scopes: ["admin"] })
    assert.deepInclude(await petstore.stats(), { storage: "memory", consumers: [] })
    assert.lengthOf(await petstore.statsHistory(), 1)
    await handler.close()
  })
})
