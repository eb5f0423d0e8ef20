import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"
import { type Operation, operations } from "../../api/operations.ts"

/** Where a resource is read, and its tag is found; where it is changed; and changes that alternate, so that each is one. */
const changed = [
  ["/v1/pets/1", "/v1/pets/1", '{"name":"A"}', '{"name":"B"}'],
  ["/v1/store/pets/1", "/v1/pets/1", '{"name":"A"}', '{"name":"B"}'],
  ["/v1/categories/1", "/v1/categories/1", '{"name":"A"}', '{"name":"B"}'],
  ["/v1/inventory/2", "/v1/inventory/2", '{"quantity":5}', '{"quantity":6}'],
  ["/v1/store/pets/2", "/v1/inventory/2", '{"quantity":5}', '{"quantity":6}'],
  ["/v1/store/orders/1", "/v1/store/orders/1", '{"petId":2}', '{"petId":3}']
] as const

const removed = [
  ["/v1/store/pets/1", "/v1/pets/1", '{"name":"A"}'],
  ["/v1/categories/2", "/v1/categories/2", '{"name":"A"}'],
  ["/v1/store/orders/1", "/v1/store/orders/1", '{"petId":2}']
] as const

const conditionalReads = [
  "/v1/pets/1",
  "/v1/store/pets/1",
  "/v1/categories/1",
  "/v1/inventory/1",
  "/v1/store/orders/1",
  "/v1/store/orders/1/reservation",
  "/v1/pets/1/record",
  "/v1/categories/by-external-id/A-1/record",
  "/v1/store/orders/1/record",
  "/v1/api-keys/1",
  "/v1/webhooks/1"
]

describe("If-Match", () => {
  for (const [read, path, one, other] of changed) {
    transcript(
      `given that ${path} has changed since ${read} was read, then it is not changed`,
      `GET ${read} -> 200 [etag -> first]
       PATCH ${path} [if-match: {first}] ${one} -> 200
       PATCH ${path} [if-match: {first}] ${other} -> 412
       GET ${read} -> 200 [etag -> new second]
       PATCH ${path} [if-match: W/{second}] ${other} -> 412
       PATCH ${path} [if-match: "v999", "p999", "s999"] ${other} -> 412
       PATCH ${path} [if-match: "unheard-of"] ${other} -> 412
       PATCH ${path} [if-match: v2] ${other} -> 400 ~such as \\"3\\", or *, not \\"v2\\"
       PATCH ${path} [if-match: p2-s1] ${other} -> 400
       PATCH ${path} [if-match: "x", {first} ,{second}] ${other} -> 200
       PATCH ${path} [if-match: *] ${one} -> 200
       PATCH ${path} ${other} -> 200
       PATCH ${path} [if-match: {second}] ${one} -> 412`
    )
  }

  for (const [read, path, change] of removed) {
    transcript(
      `given that ${path} has changed since ${read} was read, then it is not deleted`,
      `GET ${read} -> 200 [etag -> stale]
       PATCH ${path} ${change} -> 200
       DELETE ${path} [if-match: {stale}] -> 412
       DELETE ${path} [if-match: stale] -> 400
       GET ${read} -> 200 [etag -> fresh]
       DELETE ${path} [if-match: {fresh}] -> 204
       DELETE ${path} [if-match: *] -> 404`
    )
  }

  for (const path of conditionalReads) {
    // If-Match comes first (RFC 9110, section 13.2.2).
    const reading = (method: string) => `
       ${method} ${path} [if-match: {tag}] -> 200
       ${method} ${path} [if-match: "x", {tag}] -> 200
       ${method} ${path} [if-match: *] -> 200
       ${method} ${path} [if-match: "x"] -> 412
       ${method} ${path} [if-match: W/{tag}] -> 412
       ${method} ${path} [if-match: x] -> 400
       ${method} ${path} [if-match: "x"] [if-none-match: {tag}] -> 412
       ${method} ${path} [if-match: {tag}] [if-none-match: {tag}] -> 304`
    transcript(
      `given another tag than that of ${path}, then reading it is rejected`,
      `GET ${path} -> 200 [etag -> tag] ${reading("GET")} ${reading("HEAD")}`
    )
  }

  transcript(
    "given a creation, or a resource without tags, then tags are rejected and * is accepted",
    `POST /v1/categories [if-match: "v1"] {"name":"New"} -> 412
     POST /v1/categories [if-match: v1] {"name":"New"} -> 400
     POST /v1/categories [if-match: *] {"name":"New"} -> 201
     GET /v1/pets [if-match: "v1"] -> 200
     GET /v1/pets/99 [if-match: "p1"] -> 404`
  )
})

describe("If-None-Match", () => {
  for (const path of conditionalReads) {
    const reading = (method: string) => `
       ${method} ${path} [if-none-match: {tag}] -> 304 [etag: {tag}] [content-type: ] nothing
       ${method} ${path} [if-none-match: W/{tag}] -> 304 [etag: {tag}] [content-type: ] nothing
       ${method} ${path} [if-none-match: "x", {tag}] -> 304 [etag: {tag}] [content-type: ] nothing
       ${method} ${path} [if-none-match: *] -> 304 [etag: {tag}] [content-type: ] nothing
       ${method} ${path} [if-none-match: "x"] -> 200
       ${method} ${path} [if-none-match: "xp1-s1"] -> 200
       ${method} ${path} [if-none-match: x] -> 400`
    transcript(
      `given the current tag of ${path}, then it is not sent again`,
      `GET ${path} -> 200 [etag -> tag] ${reading("GET")} ${reading("HEAD")}`
    )
  }

  transcript(
    "given a change of a pet or of its stock, then the tag of both changes",
    `GET /v1/pets/99 [if-none-match: *] -> 404
     GET /v1/store/pets/2 -> 200 [etag -> both]
     PATCH /v1/pets/2 {"name":"A"} -> 200
     GET /v1/store/pets/2 -> 200 [etag -> new again]
     PATCH /v1/inventory/2 {"quantity":9} -> 200
     GET /v1/store/pets/2 -> 200 [etag -> new third]
     GET /v1/inventory/2 -> 200 [etag -> new stock]
     GET /v1/pets/2 -> 200 [etag -> pet]
     POST /v1/store/orders {"petId":2} -> 201
     GET /v1/store/pets/2 -> 200 [etag -> new last]
     GET /v1/pets/2 -> 200 [etag: {pet}]
     GET /v1/inventory/2 -> 200 [etag -> new later]`
  )

  for (const [read, path, one, other] of changed) {
    transcript(
      `given that ${path} has not changed since ${read} was read, then it is not changed`,
      `GET ${read} -> 200 [etag -> tag]
       PATCH ${path} [if-none-match: *] ${one} -> 412
       PATCH ${path} [if-none-match: {tag}] ${one} -> 412
       PATCH ${path} [if-none-match: W/{tag}] ${one} -> 412
       PATCH ${path} [if-none-match: "x", {tag}] ${one} -> 412
       PATCH ${path} [if-none-match: x] ${one} -> 400
       GET ${read} -> 200 [etag: {tag}]
       PATCH ${path} [if-none-match: "x", "v999", "p999", "s999"] ${one} -> 200
       PATCH ${path} [if-none-match: {tag}] ${other} -> 200
       PATCH ${path} [if-none-match: *] ${one} -> 412`
    )
  }

  for (const [read, path] of removed) {
    transcript(
      `given that ${path} has not changed since ${read} was read, then it is not deleted`,
      `GET ${read} -> 200 [etag -> tag]
       DELETE ${path} [if-none-match: *] -> 412
       DELETE ${path} [if-none-match: {tag}] -> 412
       DELETE ${path} [if-none-match: "x"] -> 204
       DELETE ${path} [if-none-match: *] -> 404`
    )
  }

  transcript(
    "given *, then a collection rejects a creation, because the collection exists",
    `POST /v1/categories [if-none-match: *] {"name":"New"} -> 412
     POST /v1/categories [if-none-match: "v1"] {"name":"New"} -> 201`
  )
})

describe("the conditions of a reservation that may not exist", () => {
  const path = "/v1/store/orders/1/reservation"
  const set = `PUT ${path}?reserveFor=60000`
  transcript(
    "given an order that does not expire, then * means that there is none",
    `GET ${path} -> 200 [etag -> tag]
     ${set} [if-none-match: *] -> 412
     ${set} [if-match: *] [if-none-match: {tag}] -> 412
     DELETE ${path} [if-match: {tag}] [if-none-match: "x"] -> 204
     ${[set, `DELETE ${path}`]
       .map(
         (request) =>
           `${request} [if-match: *] -> 412
            ${request} [if-match: {tag}] -> 412
            ${request} [if-match: *] [if-none-match: *] -> 412
            ${request} [if-match: {tag}] [if-none-match: *] -> 412`
       )
       .join("\n")}
     DELETE ${path} [if-none-match: *] -> 204
     ${set} [if-none-match: *] -> 200`
  )
})

/** A server with the sample request of one operation. */
const sampled = (operation: Operation) =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const { needs: _needs, path, ...sample } = sampleRequests((yield* populate(server)).messageId)[operation.id]
    const latest = Effect.map(server.send("GET", "/v1/events/latest"), ({ body }) => body)
    const send = (match: string) =>
      server.send(operation.method, `/v1${path}`, { ...sample, headers: { "if-match": match } })
    const read = server.send("GET", `/v1${path.replace(/\?.*/, "")}`)
    const tag = Effect.map(read, ({ headers }) => headers.get("etag") ?? "")
    return { latest, send, tag }
  })

describe("If-Match of every operation that changes something", () => {
  const reads = new Map(operations.flatMap((read) => (read.method === "GET" ? [[read.path, read]] : [])))
  for (const operation of operations.filter(({ method }) => method !== "GET")) {
    const { entityTag, method, path } = operation
    const hasTag = method !== "POST" && entityTag !== undefined

    it.effect(`given ${method} ${path} with a tag that does not match, then nothing changes`, () =>
      Effect.gen(function* () {
        const { latest, send, tag } = yield* sampled(operation)
        const before = yield* latest
        const foreign = ['"unheard-of"', ...(["v", "p", "s", "r", "e", "k"] as const).map((kind) => `"${kind}999"`)]
        for (const header of [...foreign, foreign.join(", "), ...(hasTag ? [`W/${yield* tag}`] : [])]) {
          const { body, status } = yield* send(header)
          assert.deepInclude(body, { code: "precondition_failed" }, header)
          assert.strictEqual(status, 412, header)
        }
        assert.strictEqual((yield* send("v1")).status, 400)
        assert.deepStrictEqual(yield* latest, before)
      })
    )

    it.effect(`given ${method} ${path} with the tag of its resource, or *, then it succeeds`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* (yield* sampled(operation)).send("*")).status, operation.status)
        if (!hasTag) return
        assert.isDefined(entityTag)
        assert.strictEqual(reads.get(path)?.entityTag, entityTag)
        const { send, tag } = yield* sampled(operation)
        assert.strictEqual((yield* send(yield* tag)).status, operation.status)
      })
    )
  }
})
