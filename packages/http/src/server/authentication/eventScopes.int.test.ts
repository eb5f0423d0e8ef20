import { assert, describe, it } from "@effect/vitest"
import { EventType, type Scope } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { populate } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"

interface Seen {
  readonly seq: number
  readonly type: EventType
}

const startsOf = {
  "events:pets": ["pet.", "category."],
  "events:inventory": ["inventory."],
  "events:orders": ["order."],
  "events:messages": ["message."],
  "events:webhooks": ["webhook."]
} as const satisfies { readonly [scope in Scope]?: ReadonlyArray<string> }
const entries = Object.entries(startsOf)
/** Of all but API keys. */
const starts = Object.values(startsOf).flat()

/** A shop with events of every scope, and what a new key with some scopes gets. */
const shop = Effect.gen(function* () {
  const server = yield* startServer()
  yield* populate(server)
  yield* server.send("PATCH", "/v1/inventory/2", { body: { quantity: 8 } })
  const all = (yield* server.send("GET", "/v1/events?after=0&limit=100")).body as ReadonlyArray<Seen>
  const starting = (starts: ReadonlyArray<string>) =>
    all.filter(({ type }) => starts.some((start) => type.startsWith(start))).map(({ seq }) => seq)
  const as = (...scopes: ReadonlyArray<Scope>) =>
    Effect.map(server.keyWith(scopes), (key) => {
      const get = (path: string) => server.send("GET", path.startsWith("/v1") ? path : `/v1${path}`, { key })
      return {
        get,
        list: (query = "") =>
          Effect.map(get(`/events?after=0&limit=100${query}`), ({ body }) =>
            (body as ReadonlyArray<Seen>).map(({ seq }) => seq)
          ),
        stream: (query = "") =>
          Effect.map(get(`/events/stream?after=0${query}`), ({ text }) =>
            [...text.matchAll(/^id: (\d+)\nevent/gm)].map(([, seq]) => Number(seq))
          )
      }
    })
  return { as, starting }
})

describe("the events that a key sees", () => {
  it.effect(
    "given one scope, then they are those of its types, in lists and in streams, and other types are rejected",
    () =>
      Effect.gen(function* () {
        const { as, starting } = yield* shop
        for (const [scope, starts] of entries as ReadonlyArray<[keyof typeof startsOf, ReadonlyArray<string>]>) {
          const key = yield* as(scope)
          const expected = starting(starts)
          assert.isNotEmpty(expected, scope)
          assert.deepStrictEqual(yield* key.list(), expected, scope)
          assert.deepStrictEqual(yield* key.stream(), expected, scope)
          assert.strictEqual((yield* key.get("/events/latest")).status, 200)
          for (const type of EventType.literals) {
            const isOwn = starts.some((start) => type.startsWith(start))
            const [needed] = entries.find(([, some]) => some.some((start) => type.startsWith(start))) ?? ["admin"]
            for (const path of ["/events", "/events/stream"]) {
              const reply = yield* key.get(`${path}?after=0&types=${type}`)
              if (isOwn) assert.strictEqual(reply.status, 200)
              else assert.deepInclude(reply.body, { code: "insufficient_scope", details: { scope: needed } })
            }
            if (isOwn) assert.deepStrictEqual(yield* key.list(`&types=${type}`), starting([type]))
          }
        }
      })
  )

  it.effect("given two of the scopes, then they are the events of both, and one type that is not allowed rejects", () =>
    Effect.gen(function* () {
      const { as, starting } = yield* shop
      const key = yield* as("events:inventory", "events:messages")
      assert.deepStrictEqual(yield* key.list(), starting(["inventory.", "message."]))
      assert.deepStrictEqual(yield* key.stream("&types=message.queued"), starting(["message.queued"]))
      const mixed = yield* key.get("/events?types=message.queued&types=order.placed")
      assert.deepInclude(mixed.body, { code: "insufficient_scope", details: { scope: "events:orders" } })
    })
  )

  it.effect("given all of the scopes or events:read, then they are all events but those of API keys", () =>
    Effect.gen(function* () {
      const { as, starting } = yield* shop
      const parts = yield* as(...entries.map(([scope]) => scope as keyof typeof startsOf))
      const whole = yield* as("events:read")
      const expected = [starting(starts), starting(starts)]
      assert.deepStrictEqual([yield* parts.list(), yield* whole.list()], expected)
      assert.deepStrictEqual([yield* parts.stream(), yield* whole.stream()], expected)
    })
  )

  it.effect("given the events of API keys, then admin alone sees them", () =>
    Effect.gen(function* () {
      const { as } = yield* shop
      const ofKeys = "&types=apiKey.created&types=apiKey.revoked"
      const admin = yield* as("admin")
      assert.isNotEmpty(yield* admin.list(ofKeys))
      assert.deepStrictEqual(yield* admin.stream(ofKeys), yield* admin.list(ofKeys))
      for (const scopes of [
        ["events:read"],
        ["events:read", "webhooks:write", "consumers:read"],
        ["orders:own"]
      ] as const) {
        const key = yield* as(...scopes)
        for (const path of ["/events", "/events/stream"]) {
          const reply = yield* key.get(`${path}?after=0&types=apiKey.created`)
          assert.deepInclude(reply.body, { code: "insufficient_scope", details: { scope: "admin" } })
        }
        assert.deepStrictEqual(
          [yield* key.list("&subject=apiKeys/1"), yield* key.stream("&subject=apiKeys/1")],
          [[], []]
        )
      }
    })
  )

  it.effect("given the subject of another scope, then there are none", () =>
    Effect.gen(function* () {
      const { as } = yield* shop
      const key = yield* as("events:inventory")
      assert.deepStrictEqual([yield* key.list("&subject=pets/2"), yield* key.stream("&subject=pets/2")], [[], []])
    })
  )

  it.effect("given several pages, then the links lead through all of them, and no cursor shows another key more", () =>
    Effect.gen(function* () {
      const { as, starting } = yield* shop
      const keys = {
        whole: yield* as("events:read"),
        pets: yield* as("events:pets"),
        inventory: yield* as("events:inventory"),
        customer: yield* as("events:inventory", "orders:own")
      }
      const expected = {
        whole: starting(starts),
        pets: starting(["pet.", "category."]),
        inventory: starting(["inventory."]),
        customer: starting(["inventory."])
      }
      const links: Array<string> = []
      for (const name of ["whole", "pets", "inventory", "customer"] as const) {
        const seqs: Array<number> = []
        for (let next: string | undefined = "/events?limit=1"; next !== undefined; ) {
          const page: { readonly body: unknown; readonly headers: Headers } = yield* keys[name].get(next)
          seqs.push(...(page.body as ReadonlyArray<Seen>).map(({ seq }) => seq))
          next = /<([^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]
          if (next !== undefined) links.push(next)
        }
        assert.deepStrictEqual(seqs, expected[name], name)
      }
      for (const link of links) {
        for (const name of ["pets", "inventory", "customer"] as const) {
          const page = yield* keys[name].get(link)
          if (page.status === 400) assert.deepInclude(page.body, { code: "invalid_cursor" })
          else for (const { seq } of page.body as ReadonlyArray<Seen>) assert.include(expected[name], seq)
        }
      }
    })
  )

  it.effect("given none of the scopes, then the refusal names all that would do", () =>
    Effect.gen(function* () {
      const { as } = yield* shop
      const key = yield* as("messages:read", "orders:read")
      for (const path of ["/events", "/events/latest", "/events/stream", "/events?types=message.queued"]) {
        assert.deepInclude((yield* key.get(path)).body, {
          code: "insufficient_scope",
          message:
            "This needs the scope events:read, one of events:pets, events:inventory, events:orders, events:messages, events:webhooks for events of its types, or orders:own for your own orders.",
          details: { scope: "events:read" }
        })
      }
    })
  )
})
