import { assert, describe, it } from "@effect/vitest"
import { limits } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { populate } from "../../../test/support/sampleStore.ts"
import { type Reply, type Sending, startServer, type TestServer } from "../../../test/support/TestServer.ts"

const bytes = (text: string, ...more: ReadonlyArray<number>): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...new TextEncoder().encode(text), ...more])

const pathsOf = ({ body }: Reply): ReadonlyArray<string> =>
  ((body as { readonly violations?: ReadonlyArray<{ readonly path: string }> }).violations ?? []).map(
    ({ path }) => path
  )

/** All that can be read, to see that nothing has changed. */
const everything = ({ send }: TestServer) =>
  Effect.forEach(
    ["/v1/pets", "/v1/categories", "/v1/inventory", "/v1/store/orders", "/v1/messages", "/v1/accounts", "/v1/api-keys"],
    (path) => Effect.map(send("GET", `${path}?limit=100`), ({ text }) => text)
  )

interface BadRequest extends Sending {
  readonly method?: string
  readonly path?: string
  readonly code: string
  readonly paths?: ReadonlyArray<string>
}

const pet = { name: "Rex", categoryId: 1 }
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

/** Every request creates a pet unless it says otherwise. */
const badRequests: Readonly<Record<string, BadRequest>> = {
  "a body that is no JSON": { raw: '{"name":', code: "malformed_json" },
  "JSON with something after it": { raw: `${JSON.stringify(pet)} x`, code: "malformed_json" },
  "an empty body": { raw: "", code: "malformed_json" },
  "a blank body": { raw: " \n", code: "malformed_json" },
  "a body of NaN": { raw: '{"name":"Rex","categoryId":NaN}', code: "malformed_json" },
  "a body with a byte order mark": { raw: `\ufeff${JSON.stringify(pet)}`, code: "malformed_json" },
  "bytes that are not UTF-8": { raw: bytes('{"name":"R', 0xff, 0x22, 0x7d), code: "malformed_json" },
  "UTF-8 that ends in mid-character": { raw: bytes('{"name":"R', 0xe2, 0x82), code: "malformed_json" },
  "UTF-16": { raw: new Uint8Array(Buffer.from(JSON.stringify(pet), "utf16le")), code: "malformed_json" },
  "an array": { body: [pet], code: "validation_failed", paths: ["/body"] },
  null: { body: null, code: "validation_failed", paths: ["/body"] },
  "a string": { body: "Rex", code: "validation_failed", paths: ["/body"] },
  "a number": { body: 7, code: "validation_failed", paths: ["/body"] },
  "deep nesting": { raw: nested(50_000), code: "validation_failed", paths: ["/body"] },
  "nothing of what is required": { body: {}, code: "validation_failed", paths: ["/body/name", "/body/categoryId"] },
  "null in place of a required field": {
    body: { name: null, categoryId: null },
    code: "validation_failed",
    paths: ["/body/name", "/body/categoryId"]
  },
  "an unknown field": { body: { ...pet, colour: "red" }, code: "validation_failed", paths: ["/body/colour"] },
  "an id on a new pet": { body: { ...pet, id: 7 }, code: "validation_failed", paths: ["/body/id"] },
  "a field named __proto__": {
    raw: '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}',
    code: "validation_failed",
    paths: ["/body/__proto__"]
  },
  "a field named constructor": {
    body: { ...pet, constructor: {} },
    code: "validation_failed",
    paths: ["/body/constructor"]
  },
  "a lone surrogate": { raw: '{"name":"R\\ud800x","categoryId":1}', code: "validation_failed", paths: ["/body/name"] },
  "a control character in a name": {
    body: { ...pet, name: "R\u0007x" },
    code: "validation_failed",
    paths: ["/body/name"]
  },
  "a line break in a name": { body: { ...pet, name: "R\nx" }, code: "validation_failed", paths: ["/body/name"] },
  "a blank name": { body: { ...pet, name: " \u3000" }, code: "validation_failed", paths: ["/body/name"] },
  "a name that is too long": {
    body: { ...pet, name: "x".repeat(limits.petName + 1) },
    code: "validation_failed",
    paths: ["/body/name"]
  },
  "a status that there is not": {
    body: { ...pet, status: "lost" },
    code: "validation_failed",
    paths: ["/body/status"]
  },
  ...Object.fromEntries(
    [
      "0",
      "-0",
      "-1",
      "1.5",
      "1.0000000000000000001",
      "1e-400",
      '"1"',
      "9007199254740992",
      "9007199254740991.4",
      "9007199254740993",
      "1e400",
      "-1e400",
      "true",
      "[1]"
    ].map((id) => [
      `a categoryId of ${id}`,
      { raw: `{"name":"Rex","categoryId":${id}}`, code: "validation_failed", paths: ["/body/categoryId"] }
    ])
  ),
  "a date that there is not": {
    path: "/v1/store/orders",
    body: { shipDate: "2026-02-29T00:00:00Z" },
    code: "validation_failed",
    paths: ["/body/shipDate"]
  },
  "a date without an offset": {
    path: "/v1/store/orders",
    body: { shipDate: "2026-02-28T00:00:00" },
    code: "validation_failed",
    paths: ["/body/shipDate"]
  },
  "null where nothing can be cleared": {
    method: "PATCH",
    path: "/v1/store/orders/1",
    body: { petId: null, quantity: null, complete: null },
    code: "validation_failed",
    paths: ["/body/petId", "/body/quantity", "/body/complete"]
  },
  "an order of nothing": {
    path: "/v1/store/orders",
    body: { petId: 1, quantity: 0 },
    code: "validation_failed",
    paths: ["/body/quantity"]
  },
  "stock below nothing": {
    method: "PATCH",
    path: "/v1/inventory/1",
    body: { quantity: -1 },
    code: "validation_failed",
    paths: ["/body/quantity"]
  },
  "stock that a double would round to a whole number": {
    method: "PATCH",
    path: "/v1/inventory/1",
    raw: '{"quantity":1e-400}',
    code: "validation_failed",
    paths: ["/body/quantity"]
  },
  "a leap second": {
    path: "/v1/store/orders",
    body: { shipDate: "2016-12-31T23:59:60Z" },
    code: "validation_failed",
    paths: ["/body/shipDate"]
  },
  "the year 0000": {
    path: "/v1/store/orders",
    body: { shipDate: "0000-06-01T00:00:00Z" },
    code: "validation_failed",
    paths: ["/body/shipDate"]
  },
  "an empty message": {
    path: "/v1/messages",
    body: { message: "" },
    code: "validation_failed",
    paths: ["/body/message"]
  },
  "no message": { path: "/v1/messages", body: {}, code: "validation_failed", paths: ["/body/message"] },
  "both scopes and a preset": {
    path: "/v1/api-keys",
    body: { accountId: 1, name: "k", scopes: ["pets:read"], preset: "read" },
    code: "validation_failed",
    paths: ["/body"]
  },
  "a path, a query and a body that are all wrong": {
    method: "PATCH",
    path: "/v1/pets/abc?force=1",
    body: { name: "", age: 3 },
    headers: { "if-match": "v1" },
    code: "validation_failed",
    paths: ["/path/petId", "/query/force", "/body/age", "/body/name", "/header/If-Match"]
  },
  "a cursor that was made up": { method: "GET", path: "/v1/pets?cursor=forged", code: "invalid_cursor" },
  "a cursor with characters that none has": { method: "GET", path: "/v1/pets?cursor=%00", code: "invalid_cursor" },
  "an endless cursor": { method: "GET", path: `/v1/pets?cursor=${"x".repeat(5_000)}`, code: "invalid_cursor" },
  "an unknown parameter": {
    method: "GET",
    path: "/v1/pets?colour=red",
    code: "validation_failed",
    paths: ["/query/colour"]
  },
  "a repeated parameter": {
    method: "GET",
    path: "/v1/pets?limit=1&limit=2",
    code: "validation_failed",
    paths: ["/query/limit"]
  },
  "no content type": {
    raw: bytes(JSON.stringify(pet)),
    headers: { "content-type": "" },
    code: "unsupported_content_type"
  },
  "text/plain": { body: pet, headers: { "content-type": "text/plain" }, code: "unsupported_content_type" },
  "a form": {
    raw: "name=Rex",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    code: "unsupported_content_type"
  },
  "a content type that only begins like JSON": {
    body: pet,
    headers: { "content-type": "application/json-patch+json" },
    code: "unsupported_content_type"
  },
  "a Content-Encoding": { body: pet, headers: { "content-encoding": "gzip" }, code: "unsupported_content_type" },
  "a Content-Encoding of nothing": {
    body: pet,
    headers: { "content-encoding": "identity" },
    code: "unsupported_content_type"
  },
  "an idempotency key with a blank": {
    body: pet,
    headers: { "idempotency-key": "a b" },
    code: "invalid_idempotency_key"
  },
  "an idempotency key of 10,000 characters": {
    body: pet,
    headers: { "idempotency-key": "x".repeat(10_000) },
    code: "invalid_idempotency_key"
  },
  "an idempotency key with an open quote": {
    body: pet,
    headers: { "idempotency-key": '"abc' },
    code: "invalid_idempotency_key"
  },
  "an idempotency key for a secret": {
    path: "/v1/api-keys",
    body: { accountId: 1, name: "k", preset: "read" },
    headers: { "idempotency-key": "abc" },
    code: "invalid_idempotency_key"
  },
  "an idempotency key for a rotation": {
    path: "/v1/api-keys/1/rotate",
    body: {},
    headers: { "idempotency-key": "abc" },
    code: "invalid_idempotency_key"
  }
}

describe("bad input", () => {
  for (const [name, { code, method = "POST", path = "/v1/pets", paths = [], ...sending }] of Object.entries(
    badRequests
  )) {
    it.effect(`given ${name}, then it is refused with ${code}, and nothing has changed`, () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        yield* populate(server)
        const before = yield* everything(server)
        const reply = yield* server.send(method, path, sending)
        assert.strictEqual(reply.status, 400, reply.text)
        assert.deepInclude(reply.body, { code, status: 400 })
        assert.sameMembers([...pathsOf(reply)], [...paths], reply.text)
        assert.deepStrictEqual(yield* everything(server), before)
      })
    )
  }

  for (const id of [
    "0",
    "-1",
    "1.5",
    "abc",
    "1e3",
    "007",
    "+5",
    "%20",
    "9007199254740992",
    "1e400",
    "%zz",
    "%ff",
    "a%2Fb",
    "x".repeat(10_000)
  ]) {
    it.effect(`given the id ${id.slice(0, 20)} in the path, then every operation with an id refuses it`, () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const attempts: ReadonlyArray<readonly [string, string, unknown?]> = [
          ["GET", `/v1/pets/${id}`],
          ["GET", `/v1/store/pets/${id}`],
          ["PATCH", `/v1/pets/${id}`, {}],
          ["DELETE", `/v1/pets/${id}`],
          ["GET", `/v1/categories/${id}`],
          ["GET", `/v1/inventory/${id}`],
          ["GET", `/v1/inventory/${id}/movements`],
          ["PATCH", `/v1/store/orders/${id}`, {}],
          ["GET", `/v1/messages/${id}`],
          ["POST", `/v1/api-keys/${id}/rotate`, {}]
        ]
        for (const [method, path, body] of attempts) {
          const reply = yield* server.send(method, path, body === undefined ? {} : { body })
          assert.strictEqual(reply.status, 400, `${method} ${path}: ${reply.text}`)
          assert.match(pathsOf(reply).join(), /^\/path\/\w+Id$/)
        }
      })
    )
  }

  it.effect("given a key with any one character changed, then it is refused", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const key = yield* server.keyWith(["pets:read"])
      assert.strictEqual((yield* server.send("GET", "/v1/pets", { key })).status, 200)
      for (let place = 0; place < key.length; place++) {
        const other = key[place] === "x" ? "y" : "x"
        const changed = key.slice(0, place) + other + key.slice(place + 1)
        const reply = yield* server.send("GET", "/v1/pets", { key: changed })
        assert.deepInclude(reply.body, { code: "invalid_api_key", status: 401 }, changed)
        assert.strictEqual(reply.headers.get("www-authenticate"), 'Bearer realm="petstore", error="invalid_token"')
      }
    })
  )

  it.effect("given credentials of another form than Bearer, then they are refused", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { adminKey } = server
      for (const authorization of [
        "",
        adminKey,
        "Bearer",
        "Bearer ",
        `Basic ${adminKey}`,
        `Bearer ${adminKey} x`,
        `Bearer "${adminKey}"`,
        `Bearer${adminKey}`,
        `Bearer ${"x".repeat(10_000)}=x`
      ]) {
        const reply = yield* server.send("GET", "/v1/pets", { key: undefined, headers: { authorization } })
        assert.deepInclude(reply.body, { code: "unauthenticated", status: 401 }, authorization)
      }
      for (const authorization of [`bearer ${adminKey}`, `BEARER   ${adminKey}`]) {
        assert.strictEqual(
          (yield* server.send("GET", "/v1/pets", { key: undefined, headers: { authorization } })).status,
          200
        )
      }
      const long = yield* server.send("GET", "/v1/pets", { key: "x".repeat(10_000) })
      assert.deepInclude(long.body, { code: "invalid_api_key" })
    })
  )

  it.effect("given a Content-Type with parameters or in capitals, then it is accepted", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      for (const type of [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        "application/json ; x=y"
      ]) {
        const reply = yield* server.send("POST", "/v1/messages", {
          body: { message: "Hi" },
          headers: { "content-type": type }
        })
        assert.strictEqual(reply.status, 202, type)
      }
    })
  )

  it.effect("given a request id, then it is kept if it is short and printable, and replaced otherwise", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const idFor = (sent: string) =>
        Effect.map(server.send("GET", "/v1/pets", { headers: { "x-request-id": sent } }), ({ headers }) =>
          headers.get("x-request-id")
        )
      for (const sane of ["abc", "a".repeat(128), "2f1c:7/8.9_0-1+2=3@4"]) assert.strictEqual(yield* idFor(sane), sane)
      for (const insane of ["a".repeat(129), "x".repeat(10_000), "a b", '"a"', "<script>", "é"]) {
        assert.match((yield* idFor(insane)) ?? "", /^[0-9a-f]{12}-[0-9a-z]+$/)
      }
    })
  )

  it.effect("given input at the published limits, then it is accepted to the last character", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const longest = { name: "é".repeat(limits.categoryName), description: "😀".repeat(limits.description) }
      const made = yield* server.send("POST", "/v1/categories", { body: longest })
      assert.strictEqual(made.status, 201, made.text)
      const message = yield* server.send("POST", "/v1/messages", { body: { message: "😀".repeat(limits.message) } })
      assert.strictEqual(message.status, 202, message.text.slice(0, 200))
    })
  )
})
