import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deviations } from "../../test/support/conformance.ts"
import { foreignScope } from "../../test/support/errorTriggers.ts"
import { populate, sampleRequests } from "../../test/support/sampleStore.ts"
import { type Reply, type Sending, startServer } from "../../test/support/TestServer.ts"
import { type Operation, operations } from "../api/operations.ts"
import { operationDocs } from "./operationDocs.ts"
import { parametersOf } from "./parameters.ts"

/** Whether the document lists the conditional headers as parameters of an operation. */
const isConditional = (operation: Operation): boolean => {
  const listed = parametersOf(operation).flatMap((parameter) => ("$ref" in parameter ? [parameter.$ref] : []))
  return ["IfMatch", "IfNoneMatch"].every((name) => listed.some((reference) => reference.endsWith(name)))
}

/** Ways to invalidate a request that would succeed, the operations they apply to, and the expected status. */
const invalidated: ReadonlyArray<{
  readonly what: string
  readonly status: number
  readonly applies?: (operation: Operation) => boolean
  readonly method?: string
  readonly path?: (path: string) => string
  readonly sending?: Sending
}> = [
  { what: "without a key", status: 401, sending: { key: undefined } },
  { what: "with a wrong key", status: 401, sending: { key: "psk_1_wrong" } },
  { what: "with an unsupported method", status: 405, method: "PROPFIND" },
  {
    what: "with an unknown parameter",
    status: 400,
    path: (path) => `${path}${path.includes("?") ? "&" : "?"}colour=red`
  },
  {
    what: "with a forged cursor",
    status: 400,
    applies: ({ query }) => query !== undefined,
    path: (path) => `${path.replace(/\?.*/, "")}?cursor=forged`
  },
  {
    what: "for a missing resource",
    status: 404,
    applies: ({ id, path }) => operationDocs[id].errors.includes("not_found") && path.includes(":"),
    path: (path) => path.replace(/\/\d+(?=\/|$)|msg_\w+|A-1/, (id) => (id.startsWith("/") ? "/999" : "msg_0"))
  },
  {
    what: "with an invalid id",
    status: 400,
    applies: ({ params }) => params !== undefined,
    path: (path) =>
      path.replace(/\/\d+(?=\/|$)|msg_\w+|A-1/, (id) => (id.startsWith("/") ? "/0" : id === "A-1" ? "%20" : "0"))
  },
  {
    what: "with a body that is not JSON",
    status: 400,
    applies: ({ body }) => body !== undefined,
    sending: { raw: "{" }
  },
  {
    what: "with a body of another type",
    status: 400,
    applies: ({ body }) => body !== undefined,
    sending: { raw: "{}", headers: { "content-type": "text/plain" } }
  },
  {
    what: "with a body that is too large",
    status: 413,
    applies: ({ body }) => body !== undefined,
    sending: { raw: " ".repeat(262_145) }
  },
  {
    what: "with an invalid idempotency key",
    status: 400,
    applies: ({ idempotencyKey }) => idempotencyKey !== "ignored",
    sending: { headers: { "idempotency-key": "a b" } }
  },
  {
    what: "for another version",
    status: 412,
    applies: isConditional,
    sending: { headers: { "if-match": '"v999"' } }
  },
  {
    what: "for any version but the current one, of a read",
    status: 304,
    applies: (operation) => isConditional(operation) && operation.method === "GET",
    sending: { headers: { "if-none-match": "*" } }
  },
  {
    what: "for any version but the current one, of a change",
    status: 412,
    applies: (operation) => isConditional(operation) && operation.method !== "GET",
    sending: { headers: { "if-none-match": "*" } }
  }
]

const world = Effect.gen(function* () {
  const server = yield* startServer()
  const { messageId } = yield* populate(server)
  return { ...server, samples: sampleRequests(messageId) }
})

describe("the check of a response against the document", () => {
  const pet = { id: 7, name: "Rex", categoryId: 3, status: "available" }
  const rejection = { code: "not_found", message: "There is no pet 7.", status: 404 }
  const reply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    headers: new Headers({ "content-type": "application/json", "x-request-id": "a-1", ...headers }),
    text: JSON.stringify(body),
    body
  })
  const created = { location: "/v1/store/pets/7", etag: '"p1"' }
  const announced = { deprecation: "@1796428800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT", link: "</docs>" }
  const withoutHeader = (name: string, from: Reply): Reply => {
    const headers = new Headers(from.headers)
    headers.delete(name)
    return { ...from, headers }
  }

  it("given a response that conforms, then it has no deviations", () => {
    assert.deepStrictEqual(deviations("getPetWithInventory", reply(404, rejection)), [])
    assert.deepStrictEqual(deviations("createPet", reply(201, pet, created)), [])
  })

  for (const [what, response] of [
    ["another status", reply(418, rejection)],
    ["another header", reply(201, pet, { ...created, "x-powered-by": "cats" })],
    ["another value of a header", reply(201, pet, { ...created, etag: "p1" })],
    ["another media type", reply(201, pet, { ...created, "content-type": "text/plain" })],
    ["one field more", reply(201, { ...pet, colour: "red" }, created)],
    ["one field less", reply(201, { id: 7, name: "Rex" }, created)],
    ["another value", reply(201, { ...pet, status: "lost" }, created)],
    ["another code", reply(409, { ...rejection, status: 409 })]
  ] as const) {
    it(`given a response with ${what} than in the document, then it has one deviation`, () => {
      assert.lengthOf(deviations("createPet", response), 1)
    })
  }

  for (const [operation, name, response] of [
    ["getLiveness", "x-request-id", reply(200, { status: "live" })],
    ["createPet", "x-request-id", reply(201, pet, created)],
    ["createPet", "location", reply(201, pet, created)],
    ["createPet", "etag", reply(201, pet, created)],
    ["getPet", "deprecation", reply(404, rejection, announced)],
    ["getPet", "sunset", reply(404, rejection, announced)],
    ["getPet", "link", reply(404, rejection, announced)],
    [
      "createPet",
      "www-authenticate",
      reply(
        401,
        { ...rejection, code: "unauthenticated", status: 401 },
        { "www-authenticate": 'Bearer realm="petstore"' }
      )
    ],
    ["createPet", "allow", reply(405, { ...rejection, code: "method_not_allowed", status: 405 }, { allow: "GET" })],
    [
      "createPet",
      "retry-after",
      reply(429, { ...rejection, code: "rate_limited", status: 429 }, { "retry-after": "1" })
    ],
    ["createPet", "retry-after", reply(503, { ...rejection, code: "overloaded", status: 503 }, { "retry-after": "1" })]
  ] as const) {
    it(`given ${response.status} of ${operation} without ${name}, then only that is a deviation`, () => {
      assert.deepStrictEqual(deviations(operation, response), [])
      assert.deepStrictEqual(deviations(operation, withoutHeader(name, response)), [`the header ${name} is missing`])
    })
  }

  it("given a response to HEAD, then it has the headers of GET and no body", () => {
    const found = reply(200, { id: 3, name: "Cats" }, { etag: '"v1"' })
    const empty = { ...found, text: "", body: undefined }
    assert.deepStrictEqual(deviations("getCategory", empty, "HEAD"), [])
    assert.deepStrictEqual(deviations("getCategory", found, "HEAD"), ["HEAD has a body"])
    assert.deepStrictEqual(deviations("getCategory", withoutHeader("etag", empty), "HEAD"), [
      "the header etag is missing"
    ])
  })
})

describe("the responses of the server", () => {
  for (const operation of operations) {
    it.effect(
      `given ${operation.id}, when it gets valid and invalid requests, then each response conforms to the document`,
      () =>
        Effect.gen(function* () {
          const { keyWith, samples, send } = yield* world
          const { needs: _needs, path, ...sample } = samples[operation.id]
          const check = (what: string, status: number, method: string, target: string, sending: Sending) =>
            Effect.map(send(method, `/v1${target}`, sending), (reply) => {
              assert.strictEqual(reply.status, status, `${what}: ${reply.text}`)
              assert.deepStrictEqual(deviations(operation.id, reply, method), [], what)
            })

          for (const { applies, method, path: changePath, sending, status, what } of invalidated) {
            if (applies?.(operation) === false) continue
            yield* check(what, status, method ?? operation.method, changePath?.(path) ?? path, {
              ...sample,
              ...sending
            })
            if (operation.method !== "GET" || method !== undefined) continue
            yield* check(`HEAD ${what}`, status, "HEAD", changePath?.(path) ?? path, { ...sample, ...sending })
          }
          if (operation.method === "GET") yield* check("HEAD", operation.status, "HEAD", path, sample)
          const key = yield* keyWith([foreignScope(operation)])
          yield* check("without its scopes", 403, operation.method, path, { ...sample, key })
          const unconditional = operation.method !== "POST" && !isConditional(operation)
          const ignored = unconditional ? { headers: { "if-match": '"v999"', "if-none-match": "*" } } : {}
          yield* check("valid", operation.status, operation.method, path, { ...sample, ...ignored })
        })
    )
  }

  for (const [operation, path] of [
    ["getLiveness", "/health/live"],
    ["getReadiness", "/health/ready"]
  ] as const) {
    it.effect(`given ${path}, then each response conforms to the document`, () =>
      Effect.gen(function* () {
        const { send } = yield* startServer()
        for (const [method, status] of [
          ["GET", 200],
          ["HEAD", 200],
          ["POST", 405]
        ] as const) {
          const reply = yield* send(method, path, { key: undefined })
          assert.strictEqual(reply.status, status)
          assert.deepStrictEqual(deviations(operation, reply, method), [])
        }
      })
    )
  }
})
