import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { InsufficientScope, presets } from "@petstore/core/domain"
import type { HandlerOptions, HostPrincipal } from "@petstore/http"
import { openApiDocument } from "@petstore/http/openapi"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import express from "express"
import { Hono } from "hono"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { listening } from "../support/listening.ts"
import { adminKey, opened, sendingBy, sendingTo } from "../support/mounts.ts"

expectLogs("listPets failed with internal_error")

const clerk: HostPrincipal = { actor: "user:7", accountId: 7, scopes: presets.write }
const visitor: HostPrincipal = { actor: "user:8", accountId: 8, scopes: ["pets:read"] }

/** The session of the host: a cookie with the name of the user. */
const sessions = new Map<string | null, HostPrincipal>([
  ["user=clerk", clerk],
  ["user=visitor", visitor]
])
const byCookie = (request: Request) => sessions.get(request.headers.get("cookie"))
const as = (user: string) => ({ headers: { cookie: `user=${user}` } })

const mounted = (options: HandlerOptions) =>
  Effect.map(opened(options), ({ handler, petstore }) => ({ petstore, send: sendingBy(handler.fetch) }))

describe("a handler with the option authenticate", () => {
  for (const [how, authenticate] of [
    ["at once", byCookie],
    ["by a promise", async (request: Request) => byCookie(request)]
  ] as const) {
    it.effect(`given a user ${how}, then scopes, the ledger and idempotency follow that user`, () =>
      Effect.gen(function* () {
        const { petstore, send } = yield* mounted({ authenticate })
        const { id: categoryId } = yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
        const pet = yield* send("POST", "/v1/pets", { ...as("clerk"), body: { name: "Tom", categoryId } })
        assert.strictEqual(pet.status, 201, pet.text)
        const set = yield* send("PATCH", "/v1/inventory/1", { ...as("clerk"), body: { quantity: 3 } })
        assert.isBelow(set.status, 300, set.text)
        const { items } = yield* Effect.promise(() => petstore.inventory.movements(1))
        assert.deepStrictEqual([...new Set(items.map(({ actor }) => actor))], ["user:7"])

        assert.strictEqual((yield* send("GET", "/v1/pets", as("visitor"))).status, 200)
        const refused = yield* send("POST", "/v1/pets", { ...as("visitor"), body: { name: "Tim", categoryId } })
        assert.deepInclude(refused.body, {
          code: "insufficient_scope",
          status: 403,
          message: "This needs the scope pets:write.",
          details: { scope: "pets:write" }
        })
        assert.isNull(refused.headers.get("www-authenticate"))
      })
    )
  }

  it.effect("given nobody in the session, when an API key is sent, then the response is 401 all the same", () =>
    Effect.gen(function* () {
      const { petstore, send } = yield* mounted({ authenticate: byCookie })
      const account = yield* Effect.promise(() => petstore.accounts.create({ name: "Shop" }))
      const { key } = yield* Effect.promise(() =>
        petstore.apiKeys.create({ accountId: account.id, name: "till", scopes: ["admin"] })
      )
      for (const sent of [key, adminKey]) {
        const reply = yield* send("GET", "/v1/pets", { key: sent })
        assert.deepInclude(reply.body, { code: "unauthenticated", status: 401, message: "Sign in first." })
        assert.strictEqual(reply.headers.get("www-authenticate"), 'Session realm="petstore"')
      }
    })
  )

  for (const [what, accountOf, replays] of [
    ["no account", () => undefined, [null, null, "true", null]],
    ["an account each", (id: number) => id, [null, null, "true", null]],
    ["one account", () => 7, [null, "true", "true", null]]
  ] as const) {
    it.effect(
      `given two users with ${what}, when they send the same idempotency key, then it counts for those who share one`,
      () =>
        Effect.gen(function* () {
          const { petstore, send } = yield* mounted({
            authenticate: ({ headers }: Request) => {
              const id = Number(headers.get("cookie"))
              const accountId = accountOf(id)
              return {
                actor: `user:${id}`,
                ...(accountId === undefined ? {} : { accountId }),
                scopes: ["messages:write"]
              }
            }
          })
          const say = (cookie: string, key: string) =>
            Effect.map(
              send("POST", "/v1/messages", { headers: { cookie, "idempotency-key": key }, body: { message: "Hello" } }),
              ({ headers, status, text }) => {
                assert.isBelow(status, 300, text)
                return headers.get("idempotent-replayed")
              }
            )
          const replayed = [yield* say("1", "k1"), yield* say("2", "k1"), yield* say("1", "k1"), yield* say("2", "k2")]
          assert.deepEqual(replayed, [...replays])
          yield* Effect.promise(() => petstore.messages.enqueue("Another", { idempotencyKey: "k1" }))
          assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
        })
    )
  }

  it.effect("given two users, when one has reached the rate limit, then the other has not", () =>
    Effect.gen(function* () {
      const { send } = yield* mounted({ authenticate: byCookie, rateLimit: 1 })
      assert.strictEqual((yield* send("GET", "/v1/pets", as("clerk"))).status, 200)
      const limited = yield* send("GET", "/v1/pets", as("clerk"))
      assert.deepInclude(limited.body, { status: 429, message: "Too many requests. Retry after 60 s." })
      assert.strictEqual((yield* send("GET", "/v1/pets", as("visitor"))).status, 200)
    })
  )

  for (const nobody of [undefined, null]) {
    it.effect(`given that it returns ${nobody}, directly or as a promise, then nobody is signed in`, () =>
      Effect.gen(function* () {
        for (const authenticate of [() => nobody, () => Promise.resolve(nobody)]) {
          const { send } = yield* mounted({ authenticate })
          assert.deepInclude((yield* send("GET", "/v1/pets")).body, { code: "unauthenticated", status: 401 })
        }
      })
    )
  }

  it.effect(
    "given that it throws a PetstoreError, then that is the response; anything else is 500, and not shown to the client",
    () =>
      Effect.gen(function* () {
        const refuses = yield* mounted({
          authenticate: () => {
            throw new InsufficientScope({ scope: "pets:read" })
          }
        })
        assert.strictEqual((yield* refuses.send("GET", "/v1/pets")).status, 403)
        const faults: ReadonlyArray<HandlerOptions["authenticate"]> = [
          () => {
            throw new Error("the password of the session store is 1234")
          },
          () => Promise.reject(new Error("the password of the session store is 1234")),
          () => ({ ...clerk, actor: "" }),
          () => JSON.parse('"clerk"'),
          () => ({ ...clerk, accountId: 0.5 }),
          () => ({ ...clerk, scopes: JSON.parse('["everything"]') })
        ]
        for (const authenticate of faults) {
          const { send } = yield* mounted(authenticate === undefined ? {} : { authenticate })
          const reply = yield* send("GET", "/v1/pets")
          assert.deepInclude(reply.body, { code: "internal_error", status: 500 })
          assert.notInclude(reply.text, "1234")
        }
      })
  )

  it.effect(
    "given an Express app, when its own middleware has found the user, then the request brings that along",
    () =>
      Effect.gen(function* () {
        const { handler } = yield* opened({
          mountPath: "/petstore",
          authenticate: (request: express.Request) => request.res?.locals.user as HostPrincipal | undefined
        })
        const app = express()
        app.use((request, response, next) => {
          response.locals.user = sessions.get(request.headers.cookie ?? null)
          next()
        })
        app.use("/petstore", handler.node)
        const send = sendingTo(yield* listening(app))
        assert.strictEqual((yield* send("GET", "/petstore/v1/pets", as("visitor"))).status, 200)
        assert.strictEqual((yield* send("GET", "/petstore/v1/pets")).status, 401)
      })
  )

  it.effect(
    "given a Hono app that keeps its session beside the request, when it hands both over, then the user is known",
    () =>
      Effect.gen(function* () {
        const users = new WeakMap<Request, HostPrincipal>()
        const { handler } = yield* opened({
          mountPath: "/petstore",
          authenticate: (request: Request) => users.get(request)
        })
        const app = new Hono<{ Variables: { user: HostPrincipal | undefined } }>()
        app.use(async (context, next) => {
          context.set("user", sessions.get(context.req.header("cookie") ?? null))
          await next()
        })
        app.all("/petstore/*", (context) => {
          const user = context.get("user")
          if (user !== undefined) users.set(context.req.raw, user)
          return handler.fetch(context.req.raw)
        })
        const send = sendingBy((request) => app.fetch(request))
        assert.strictEqual((yield* send("GET", "/petstore/v1/pets", as("visitor"))).status, 200)
        assert.strictEqual((yield* send("GET", "/petstore/v1/pets")).status, 401)
      })
  )

  it("given the types, then its parameter may be a request of node:http, of Fetch or of a framework, and nothing else", () => {
    const accepted: ReadonlyArray<HandlerOptions> = [
      { authenticate: (_request: IncomingMessage) => clerk },
      { authenticate: (_request: Request) => undefined },
      { authenticate: async (_request: express.Request) => visitor }
    ]
    // @ts-expect-error A request is no number.
    const refused: HandlerOptions = { authenticate: (_request: number) => clerk }
    // @ts-expect-error There is no such scope.
    const unknown: HandlerOptions = { authenticate: () => ({ actor: "a", scopes: ["everything"] }) }
    assert.lengthOf([...accepted, refused, unknown], 5)
  })

  it.effect("given its API document, then it describes authentication by the host application", () =>
    Effect.gen(function* () {
      const { send } = yield* mounted({ authenticate: byCookie })
      const { body } = yield* send("GET", "/openapi.json")
      assert.deepStrictEqual(body, JSON.parse(JSON.stringify(openApiDocument({ authentication: "host" }))))
    })
  )

  it.effect("given an admin key too, then a TypeError is thrown, because the key would have no effect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(opened({ authenticate: byCookie, adminKey: Redacted.make(adminKey) }))
      assert.include(String(exit), "Set either adminKey or authenticate")
    })
  )
})
