import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { type Preset, presets, type Scope } from "@petstore/core/domain"
import { layer, type Runtime, UseCaseRunner, useCases } from "@petstore/core/runtime"
import type { HostPrincipal } from "@petstore/http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { noting } from "../../../../core/test/support/notingStore.ts"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { type Sending, sendTo, startServer } from "../../../test/support/TestServer.ts"
import { follow } from "../../../test/support/transcript.ts"
import type { OperationId } from "../../api/operations.ts"
import { operations } from "../../api/operations.ts"

/**
 * What an operation shows or changes for customers. All others are for staff: movements name orders and who placed them, and who sets
 * reservations holds units for as long as they like.
 */
const reaches = {
  /** One order, by its id: their own, and no other. */
  order: ["getOrder", "updateOrder", "cancelOrder", "getOrderRecord", "getReservation"],
  /** A new order, or lists and streams, which have a test of their own each. */
  own: [
    ...["listOrders", "placeOrder", "placeOrders", "findOrderRecord"],
    ...["listEvents", "getLatestEvent", "streamEvents", "getSession"]
  ],
  /** The same as for everyone, and nothing of any order. */
  shop: [
    ...["listPets", "getPet", "getPetWithInventory", "getPetRecord", "findPetRecord"],
    ...["listCategories", "getCategory", "getCategoryRecord", "findCategoryRecord"],
    ...["listInventory", "getInventoryItem"]
  ]
} as const satisfies Record<string, ReadonlyArray<OperationId>>

const isIn = (reach: keyof typeof reaches, id: OperationId): boolean => reaches[reach].some((one) => one === id)

/** The operations on one order, with its path. */
const ofOneOrder = operations
  .filter(({ id }) => isIn("order", id))
  .map((operation) => ({ ...operation, path: (order: number) => operation.path.replace(":orderId", String(order)) }))

const idOf = ({ body }: { readonly body: unknown }): number => (body as { readonly id: number }).id
const subjectsIn = ({ body }: { readonly body: unknown }): ReadonlyArray<string> =>
  (body as ReadonlyArray<{ readonly subject: string }>).map(({ subject }) => subject)

/** Of a link, the path as it is. */
const whole = (path: string) => (path.startsWith("/v1") ? path : `/v1${path}`)

const scopesOf = (held: Preset | ReadonlyArray<Scope>) => (typeof held === "string" ? presets[held] : held)

/** A shop with pets 1 to 3, and somebody's order 1 of pet 3. Its customers have keys of accounts of their own. */
const shopWithKeys = Effect.suspend(() => shopOn(undefined))

/** The same on an engine. */
const shopOn = Effect.fnUntraced(function* (runtime: Context.Context<Runtime> | undefined) {
  const server = yield* startServer({}, runtime)
  const { messageId } = yield* populate(server)
  const as = (name: string, held: Preset | ReadonlyArray<Scope>) =>
    Effect.gen(function* () {
      const account = yield* Context.get(server.runtime, UseCaseRunner).call(useCases.accounts.create, { name })
      const scopes = [...scopesOf(held)]
      const { key } = yield* Context.get(server.runtime, UseCaseRunner).call(useCases.apiKeys.create, {
        accountId: account.value.id,
        name,
        scopes
      })
      return (method: string, path: string, sending: Sending = {}) =>
        server.send(method, whole(path), { ...sending, key })
    }).pipe(Effect.orDie)
  const staff = (method: string, path: string, sending: Sending = {}) => server.send(method, `/v1${path}`, sending)
  return { as, messageId, staff }
})

/** The same shop, mounted in an app whose sessions are the names of its users. */
const shopWithSessions = Effect.gen(function* () {
  const users = new Map<string | undefined, HostPrincipal>([
    ["staff", { actor: "staff", accountId: 1, scopes: ["admin"] }]
  ])
  const server = yield* startServer({
    authenticate: ({ headers }: IncomingMessage) => users.get(headers.cookie)
  })
  const by =
    (cookie: string) =>
    (method: string, path: string, sending: Sending = {}) =>
      sendTo(server.server.url + path, method, { ...sending, headers: { ...sending.headers, cookie } })
  const { messageId } = yield* populate({ ...server, send: by("staff") })
  const of = (name: string) => (method: string, path: string, sending?: Sending) =>
    by(name)(method, whole(path), sending)
  const as = (name: string, held: Preset | ReadonlyArray<Scope>) =>
    Effect.sync(() => {
      users.set(name, { actor: name, scopes: scopesOf(held) })
      return of(name)
    })
  return { as, messageId, staff: of("staff") }
})

for (const [how, shop] of Object.entries({ "the key of an account": shopWithKeys, "a session": shopWithSessions })) {
  describe(`customers with ${how}`, () => {
    it.effect("given any operation on other things than orders, then they read the shop, and staff does the rest", () =>
      Effect.gen(function* () {
        const { as, messageId, staff } = yield* shop
        const ada = yield* as("ada", "customer")
        for (const { id, method, status } of operations) {
          if (isIn("order", id) || isIn("own", id)) continue
          const isOfShop = isIn("shop", id)
          const { path, needs: _, ...sample } = sampleRequests(messageId)[id]
          const reply = yield* ada(method, path, sample)
          assert.strictEqual(reply.status, isOfShop ? status : 403, `${id}: ${reply.text}`)
          if (isOfShop) assert.strictEqual(reply.text, (yield* staff(method, path, sample)).text)
        }
      })
    )

    it.effect("given an own order, then each request for one order succeeds, and staff may do the same", () =>
      Effect.gen(function* () {
        const { as, staff } = yield* shop
        const ada = yield* as("ada", "customer")
        for (const { id, method, path, status } of ofOneOrder) {
          for (const caller of [ada, staff]) {
            const placed = yield* ada("POST", "/store/orders?reserveFor=900000", { body: { petId: 2, quantity: 1 } })
            const body = id === "updateOrder" ? { body: { quantity: 1 } } : {}
            assert.strictEqual((yield* caller(method, path(idOf(placed)), body)).status, status, id)
            yield* staff("DELETE", `/store/orders/${idOf(placed)}`)
          }
        }
      })
    )

    it.effect("given another's order, then no request tells that it exists, and it stays as it is", () =>
      Effect.gen(function* () {
        const { as, staff } = yield* shop
        const [ada, bob] = [yield* as("ada", "customer"), yield* as("bob", "customer")]
        const others = [1, idOf(yield* bob("POST", "/store/orders", { body: { petId: 2 } }))]
        const cancelled = idOf(yield* bob("POST", "/store/orders", { body: {} }))
        yield* bob("DELETE", `/store/orders/${cancelled}`)
        const state = () => Effect.map(staff("GET", "/store/orders"), ({ text }) => text)
        const before = yield* state()
        const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
          {},
          { "if-match": '"1"' },
          { "if-match": '"9"' },
          { "if-match": "*" },
          { "if-none-match": '"1"' },
          { "if-none-match": "*" }
        ]
        for (const { id, method, path } of ofOneOrder) {
          const bodies =
            id === "updateOrder" ? [{ quantity: 1 }, { petId: 99 }, { quantity: 999_999 }, {}] : [undefined]
          for (const body of bodies) {
            for (const one of headers) {
              const ask = (order: number) =>
                Effect.map(
                  ada(method, path(order), { headers: one, ...(body === undefined ? {} : { body }) }),
                  (reply) => [
                    reply.status,
                    reply.text.replaceAll(String(order), "N"),
                    reply.headers.get("etag"),
                    reply.headers.get("content-length")?.length
                  ]
                )
              const absent = yield* ask(9)
              for (const order of [...others, cancelled]) {
                assert.deepStrictEqual(yield* ask(order), absent, `${id} ${JSON.stringify([one, body])} of ${order}`)
              }
            }
          }
          if (method !== "GET") continue
          for (const order of [...others, 9]) {
            const head = yield* ada("HEAD", path(order))
            assert.deepStrictEqual([head.status, head.headers.get("etag")], [404, null], id)
          }
        }
        assert.strictEqual(yield* state(), before)
      })
    )

    /** A conversation of the shop's staff, and of callers by their names, with what they hold. */
    const conversation = (held: Readonly<Record<string, Preset | ReadonlyArray<Scope>>>, text: string) =>
      Effect.gen(function* () {
        const { as, staff } = yield* shop
        const entries = Object.entries(held)
        const sends = yield* Effect.forEach(entries, ([name, scopes]) => as(name, scopes))
        yield* follow(staff, text, Object.fromEntries(entries.map(([name], index) => [name, sends[index] ?? staff])))
      })
    const customers = { ada: "customer", bob: "customer" } as const

    it.effect("listOrders: given orders of many, then each lists their own, page by page, and staff all", () =>
      conversation(
        customers,
        `${"ada: POST /store/orders {} -> 201\nbob: POST /store/orders {} -> 201\n".repeat(3)}
         ada: GET /store/orders -> 200 ids 2 4 6
         ada: GET /store/orders?limit=2&complete=false -> 200 [link -> next] ids 2 4
         ada: GET {next} -> 200 [link: ] ids 6
         ada: GET /store/orders?petId=3 -> 200 is []
         ada: HEAD /store/orders?petId=3 -> 200 [content-length: 2]
         GET /store/orders -> 200 ids 1 2 3 4 5 6 7`
      )
    )

    it.effect("placeOrder: given the idempotency key of another customer, then it is a key of its own", () =>
      conversation(
        customers,
        `ada: POST /store/orders [idempotency-key: cart-7] {"petId":2} -> 201 as first
         bob: POST /store/orders [idempotency-key: cart-7] {"petId":2} -> 201 unlike first
         ada: POST /store/orders [idempotency-key: cart-7] {"petId":2} -> 201 like first
         ada: GET /store/orders -> 200 is [{"id":2,"petId":2,"quantity":1,"complete":false}]
         bob: POST /store/orders [idempotency-key: cart-7] {"quantity":9} -> 422 {"code":"idempotency_key_reused"}`
      )
    )

    it.effect("placeOrder and updateOrder: given no orders:fulfil, then customers complete nothing", () => {
      const refused = '{"complete":true} -> 403 {"code":"insufficient_scope","details":{"scope":"orders:fulfil"}}'
      return conversation(
        customers,
        `ada: POST /store/orders {"petId":2} -> 201 {"id":2}
         ada: POST /store/orders ${refused}
         ada: PATCH /store/orders/2 ${refused}
         ada: PATCH /store/orders/1 ${refused}
         ada: PATCH /store/orders/9 ${refused}`
      )
    })

    it.effect(
      "updateOrder: given orders:fulfil, then it completes any order, but their own alone with orders:own",
      () =>
        conversation(
          {
            ada: ["orders:own", "orders:fulfil"],
            warehouse: ["orders:fulfil"],
            clerk: ["orders:own", "orders:fulfil", "orders:write"]
          },
          `ada: POST /store/orders {"petId":2} -> 201 {"id":2}
           ada: PATCH /store/orders/1 {"complete":true} -> 404
           ada: PATCH /store/orders/2 {"complete":true} -> 200
           warehouse: PATCH /store/orders/1 {"complete":true} -> 200
           clerk: PATCH /store/orders/1 {"complete":true} -> 200`
        )
    )

    it.effect("given orders:own beside orders:read, then all orders are read and their own are changed", () =>
      conversation(
        { clerk: ["orders:own", "orders:read"] },
        `clerk: GET /store/orders -> 200 ids 1
         clerk: PATCH /store/orders/1 {"quantity":1} -> 404
         clerk: DELETE /store/orders/1 -> 404
         clerk: GET /events -> 200 is []`
      )
    )

    it.effect("listEvents and streamEvents: given events of many, then each gets those of their own orders alone", () =>
      Effect.gen(function* () {
        const { as, staff } = yield* shop
        const [ada, bob] = [yield* as("ada", ["orders:own"]), yield* as("bob", ["orders:own"])]
        const own = idOf(yield* ada("POST", "/store/orders", { body: { petId: 2 } }))
        const foreign = idOf(yield* bob("POST", "/store/orders", { body: { petId: 2 } }))
        yield* ada("DELETE", `/store/orders/${own}`)
        yield* bob("DELETE", `/store/orders/${foreign}`)
        const all = (yield* staff("GET", `/events?subject=orders/${own}`)).body as ReadonlyArray<{
          readonly seq: number
        }>
        assert.strictEqual(all.length, 2)
        assert.deepStrictEqual((yield* ada("GET", "/events?after=0")).body, all)
        assert.deepStrictEqual((yield* ada("GET", "/events?after=0&limit=1")).body, all.slice(0, 1))
        assert.deepStrictEqual(subjectsIn(yield* ada("GET", `/events?subject=orders/${foreign}`)), [])
        assert.deepInclude((yield* ada("GET", "/events?types=pet.created")).body, { details: { scope: "events:pets" } })
        assert.deepStrictEqual((yield* ada("GET", "/events?types=order.placed")).body, all.slice(0, 1))
        const { seq } = (yield* ada("GET", "/events/latest")).body as { readonly seq: number }
        assert.isAtLeast(seq, all[1]?.seq ?? 0)
        const frames = (yield* ada("GET", "/events/stream?after=0")).text
        const sent: ReadonlyArray<unknown> = [...frames.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
          JSON.parse(data)
        )
        assert.deepStrictEqual(sent, all)
        const rest = yield* ada("GET", "/events/stream", { headers: { "last-event-id": String(all[0]?.seq) } })
        assert.deepStrictEqual(
          [...rest.text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id)),
          [all[1]?.seq]
        )
      })
    )

    it.effect("listEvents and streamEvents: given the scope of the stock too, then each gets both, and no more", () =>
      Effect.gen(function* () {
        const { as, staff } = yield* shop
        const [ada, bob] = [yield* as("ada", "customer"), yield* as("bob", "customer")]
        const own = idOf(yield* ada("POST", "/store/orders", { body: { petId: 2 } }))
        const foreign = idOf(yield* bob("POST", "/store/orders", { body: { petId: 2 } }))
        yield* bob("DELETE", `/store/orders/${foreign}`)
        yield* ada("DELETE", `/store/orders/${own}`)
        const all = (yield* staff("GET", "/events?after=0&limit=100")).body as ReadonlyArray<{
          readonly type: string
          readonly subject: string
        }>
        const isStock = ({ type }: { readonly type: string }) => type === "inventory.updated"
        const mine = all.filter((event) => isStock(event) || event.subject === `orders/${own}`)
        assert.isAbove(mine.length, 2)
        const listed = (query: string) =>
          Effect.map(ada("GET", `/events?after=0&limit=100${query}`), ({ body }) => body)
        const streamed = (query: string) =>
          Effect.map(ada("GET", `/events/stream?after=0${query}`), ({ text }) =>
            [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]): unknown => JSON.parse(data))
          )
        for (const events of [listed, streamed]) {
          assert.deepStrictEqual(yield* events(""), mine)
          assert.deepStrictEqual(yield* events("&types=inventory.updated"), mine.filter(isStock))
          assert.deepStrictEqual(
            yield* events("&types=order.placed&types=order.cancelled"),
            mine.filter((event) => !isStock(event))
          )
          assert.deepStrictEqual(yield* events(`&subject=orders/${foreign}`), [])
          assert.deepStrictEqual(
            yield* events("&subject=inventory/2"),
            all.filter(({ subject }) => subject === "inventory/2")
          )
        }
        assert.deepInclude((yield* ada("GET", "/events/stream?types=message.queued")).body, {
          details: { scope: "events:messages" }
        })
      })
    )

    it.effect(
      "listEvents and streamEvents: given events:orders beside orders:own, then each gets those of all orders",
      () =>
        Effect.gen(function* () {
          const { as } = yield* shop
          const clerk = yield* as("clerk", ["orders:own", "events:orders"])
          // It was placed, and got a record.
          assert.deepStrictEqual(subjectsIn(yield* clerk("GET", "/events?after=0")), ["orders/1", "orders/1"])
          assert.include((yield* clerk("GET", "/events/stream?after=0")).text, '"subject":"orders/1"')
        })
    )
  })
}

describe("customers, and what the store is asked for", () => {
  it.effect("given another's order, then each request for it is asked, and returned, what one for no order is", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { as, staff } = yield* shopOn(yield* Layer.build(layer(noting(asked))))
      const [ada, bob] = [yield* as("ada", "customer"), yield* as("bob", "customer")]
      const other = idOf(yield* bob("POST", "/store/orders?reserveFor=900000", { body: { petId: 2 } }))
      yield* staff("PATCH", `/store/orders/${other}/record`, { body: { externalId: "B" } })
      const askedFor = (method: string, path: string, sending: Sending) =>
        Effect.gen(function* () {
          asked.length = 0
          assert.strictEqual((yield* ada(method, path, sending)).status, 404)
          // The last use of a key is saved once in a while.
          return asked.filter((statement) => !statement.includes("apiKeys"))
        })
      for (const { id, method, path } of ofOneOrder) {
        const body = id === "updateOrder" ? { body: { quantity: 1 } } : {}
        const keyed = method === "GET" ? [] : [{ ...body, headers: { "idempotency-key": "again" } }]
        for (const sending of [body, ...keyed]) {
          const ofNone = yield* askedFor(method, path(1_000), sending)
          assert.isNotEmpty(ofNone, id)
          assert.deepStrictEqual(yield* askedFor(method, path(other), sending), ofNone, id)
        }
      }
      const byExternalId = (name: string) => askedFor("GET", `/store/orders/by-external-id/${name}/record`, {})
      assert.deepStrictEqual(yield* byExternalId("B"), yield* byExternalId("none"))
    })
  )
})
