import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deviations } from "../../test/support/conformance.ts"
import { populate, sampleRequests } from "../../test/support/sampleStore.ts"
import { type Reply, type Sending, startServer } from "../../test/support/TestServer.ts"
import { operations } from "../api/operations.ts"

const world = Effect.gen(function* () {
  const server = yield* startServer()
  return { server, ...(yield* populate(server)) }
})

const withInvalidId = (path: string): string =>
  path.replace(/\/\d+(?=\/|$)|msg_\w+|A-1|(?<=consumers\/)\w+/, (id) =>
    id.startsWith("/") ? "/0" : id.startsWith("msg") ? "0" : "%20"
  )

describe("the check of a response against the document", () => {
  const pet = { id: 7, name: "Rex", categoryId: 3, status: "available" }
  const rejection = { code: "not_found", message: "There is no pet 7.", status: 404 }
  const reply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    headers: new Headers({
      "content-type": "application/json",
      "x-request-id": "a-1",
      "cache-control": "no-store",
      ...headers
    }),
    text: JSON.stringify(body),
    body
  })
  const created = { location: "/v1/store/pets/7", etag: '"p1"', "cache-control": "private, no-cache" }
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
    ["createPet", "cache-control", reply(201, pet, created)],
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
    const found = reply(200, { id: 3, name: "Cats" }, { etag: '"v1"', "cache-control": "private, no-cache" })
    const empty = { ...found, text: "", body: undefined }
    assert.deepStrictEqual(deviations("getCategory", empty, "HEAD"), [])
    assert.deepStrictEqual(deviations("getCategory", found, "HEAD"), ["HEAD has a body"])
    assert.deepStrictEqual(deviations("getCategory", withoutHeader("etag", empty), "HEAD"), [
      "the header etag is missing"
    ])
  })
})

// What `declaredErrors.int.test.ts` does not trigger: that has a request for each code and success of the document.
describe("the responses of the server", () => {
  it.effect("given HEAD and invalid ids, in every operation, then each response conforms to the document", () =>
    Effect.gen(function* () {
      const { messageId, server } = yield* world
      const check = (id: string, status: number, method: string, path: string, sending: Sending) =>
        Effect.map(server.send(method, path, sending), (reply) => {
          assert.strictEqual(reply.status, status, `${method} ${path}: ${reply.text}`)
          assert.deepStrictEqual(deviations(id, reply, method), [], `${method} ${path}`)
        })

      for (const { entityTag, id, method, params } of operations) {
        const { needs: _needs, path: target, ...sample } = sampleRequests(messageId)[id]
        const path = `/v1${target}`
        if (params !== undefined) yield* check(id, 400, method, withInvalidId(path), sample)
        if (method !== "GET") continue
        yield* check(id, 200, "HEAD", path, sample)
        yield* check(id, 401, "HEAD", path, { ...sample, key: undefined })
        yield* check(id, 400, "HEAD", `${path}${path.includes("?") ? "&" : "?"}colour=red`, sample)
        if (entityTag === undefined) continue
        yield* check(id, 304, "HEAD", path, { ...sample, headers: { "if-none-match": "*" } })
        yield* check(id, 412, "HEAD", path, { ...sample, headers: { "if-match": '"v999"' } })
      }
      for (const [id, path] of [
        ["getLiveness", "/health/live"],
        ["getReadiness", "/health/ready"]
      ] as const) {
        yield* check(id, 200, "HEAD", path, { key: undefined })
        yield* check(id, 405, "POST", path, { key: undefined })
      }
    })
  )
})
