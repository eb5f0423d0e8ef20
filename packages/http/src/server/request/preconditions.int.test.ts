import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { type Operation, operations } from "../../api/operations.ts"

const populated = Effect.tap(startServer(), populate)

const tagOf = ({ send }: TestServer, path: string) =>
  Effect.map(send("GET", path), ({ headers }) => headers.get("etag") ?? "")

interface Resource {
  /** Where it is read, and its tag is found. */
  readonly read: string
  readonly path: string
  /** Changes that alternate, so that each is one. */
  readonly changes: readonly [unknown, unknown]
}

const resources: Readonly<Record<string, Resource>> = {
  "a pet": { read: "/v1/pets/1", path: "/v1/pets/1", changes: [{ name: "A" }, { name: "B" }] },
  "a pet by the tag of the pet with its stock": {
    read: "/v1/store/pets/1",
    path: "/v1/pets/1",
    changes: [{ name: "A" }, { name: "B" }]
  },
  "a category": { read: "/v1/categories/1", path: "/v1/categories/1", changes: [{ name: "A" }, { name: "B" }] },
  "the stock of a pet": {
    read: "/v1/inventory/2",
    path: "/v1/inventory/2",
    changes: [{ quantity: 5 }, { quantity: 6 }]
  },
  "the stock of a pet by the tag of the pet with its stock": {
    read: "/v1/store/pets/2",
    path: "/v1/inventory/2",
    changes: [{ quantity: 5 }, { quantity: 6 }]
  },
  "an order": { read: "/v1/store/orders/1", path: "/v1/store/orders/1", changes: [{ petId: 2 }, { petId: 3 }] }
}

const removable = {
  "a pet": { read: "/v1/store/pets/1", path: "/v1/pets/1", change: { name: "A" } },
  "a category": { read: "/v1/categories/2", path: "/v1/categories/2", change: { name: "A" } },
  "an order": { read: "/v1/store/orders/1", path: "/v1/store/orders/1", change: { petId: 2 } }
}

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
  it.effect("given a resource that has changed since it was read, then it is not changed", () =>
    Effect.gen(function* () {
      const server = yield* populated
      for (const [name, { changes, path, read }] of Object.entries(resources)) {
        const patch = (header: string | undefined, body: unknown) =>
          Effect.map(
            server.send("PATCH", path, { body, headers: header === undefined ? {} : { "if-match": header } }),
            ({ status }) => status
          )
        const [one, other] = changes
        const first = yield* tagOf(server, read)
        assert.strictEqual(yield* patch(first, one), 200, name)
        assert.strictEqual(yield* patch(first, other), 412, name)
        const second = yield* tagOf(server, read)
        assert.notStrictEqual(second, first, name)
        assert.strictEqual(yield* patch(`W/${second}`, other), 412, name)
        assert.strictEqual(yield* patch('"v999", "p999", "s999"', other), 412, name)
        assert.strictEqual(yield* patch('"unheard-of"', other), 412, name)
        const unquoted = second.replaceAll('"', "")
        const refused = yield* server.send("PATCH", path, { body: other, headers: { "if-match": unquoted } })
        assert.strictEqual(refused.status, 400, name)
        assert.include(JSON.stringify(refused.body), `such as \\"3\\", or *, not \\"${unquoted}\\"`)
        assert.strictEqual(yield* patch(`"x", ${first} ,${second}`, other), 200, name)
        assert.strictEqual(yield* patch("*", one), 200, name)
        assert.strictEqual(yield* patch(undefined, other), 200, name)
        assert.strictEqual(yield* patch(second, one), 412, name)
      }
    })
  )

  it.effect("given a resource that has changed since it was read, then it is not deleted", () =>
    Effect.gen(function* () {
      const server = yield* populated
      for (const [name, { change, path, read }] of Object.entries(removable)) {
        const remove = (header: string) =>
          Effect.map(server.send("DELETE", path, { headers: { "if-match": header } }), ({ status }) => status)
        const stale = yield* tagOf(server, read)
        yield* server.send("PATCH", path, { body: change })
        assert.strictEqual(yield* remove(stale), 412, name)
        assert.strictEqual(yield* remove("stale"), 400, name)
        assert.strictEqual(yield* remove(yield* tagOf(server, read)), 204, name)
        assert.strictEqual(yield* remove("*"), 404, name)
      }
    })
  )

  it.effect("given another tag than that of a resource, then reading it is rejected", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      for (const path of conditionalReads) {
        const tag = (yield* send("GET", path)).headers.get("etag") ?? ""
        for (const method of ["GET", "HEAD"]) {
          const status = (match: string, headers: Readonly<Record<string, string>> = {}) =>
            Effect.map(send(method, path, { headers: { "if-match": match, ...headers } }), (reply) => reply.status)
          for (const header of [tag, `"x", ${tag}`, "*"]) assert.strictEqual(yield* status(header), 200, header)
          for (const header of ['"x"', `W/${tag}`]) assert.strictEqual(yield* status(header), 412, header)
          assert.strictEqual(yield* status("x"), 400)
          // If-Match comes first (RFC 9110, section 13.2.2).
          assert.strictEqual(yield* status('"x"', { "if-none-match": tag }), 412)
          assert.strictEqual(yield* status(tag, { "if-none-match": tag }), 304)
        }
      }
    })
  )

  it.effect("given a creation, or a resource without tags, then tags are rejected and * is accepted", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const post = (header: string) =>
        send("POST", "/v1/categories", { body: { name: "New" }, headers: { "if-match": header } })
      assert.strictEqual((yield* post('"v1"')).status, 412)
      assert.strictEqual((yield* post("v1")).status, 400)
      assert.strictEqual((yield* post("*")).status, 201)
      assert.strictEqual((yield* send("GET", "/v1/pets", { headers: { "if-match": '"v1"' } })).status, 200)
      assert.strictEqual((yield* send("GET", "/v1/pets/99", { headers: { "if-match": '"p1"' } })).status, 404)
    })
  )
})

describe("If-None-Match", () => {
  it.effect("given the current tag of a resource, then it is not sent again", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      for (const path of conditionalReads) {
        const get = (header: string, method = "GET") => send(method, path, { headers: { "if-none-match": header } })
        const tag = (yield* send("GET", path)).headers.get("etag") ?? ""
        for (const header of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
          for (const method of ["GET", "HEAD"]) {
            const reply = yield* get(header, method)
            assert.strictEqual(reply.status, 304, `${path} ${header}`)
            assert.strictEqual(reply.headers.get("etag"), tag)
            assert.strictEqual(reply.text, "")
            assert.isFalse(reply.headers.has("content-type"))
          }
        }
        for (const header of ['"x"', `"x${tag.slice(1)}`]) assert.strictEqual((yield* get(header)).status, 200)
        assert.strictEqual((yield* get("x")).status, 400)
      }
      assert.strictEqual((yield* send("GET", "/v1/pets/99", { headers: { "if-none-match": "*" } })).status, 404)
    })
  )

  it.effect("given a change of a pet or of its stock, then the tag of both changes", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const { send } = server
      const seen = new Set([yield* tagOf(server, "/v1/store/pets/2")])
      const again = Effect.gen(function* () {
        const tag = yield* tagOf(server, "/v1/store/pets/2")
        assert.isFalse(seen.has(tag), tag)
        seen.add(tag)
      })
      yield* send("PATCH", "/v1/pets/2", { body: { name: "A" } })
      yield* again
      yield* send("PATCH", "/v1/inventory/2", { body: { quantity: 9 } })
      yield* again
      const stock = yield* tagOf(server, "/v1/inventory/2")
      const pet = yield* tagOf(server, "/v1/pets/2")
      yield* send("POST", "/v1/store/orders", { body: { petId: 2 } })
      yield* again
      assert.strictEqual(yield* tagOf(server, "/v1/pets/2"), pet)
      assert.notStrictEqual(yield* tagOf(server, "/v1/inventory/2"), stock)
    })
  )

  it.effect("given a resource that has not changed since it was read, then it is not changed", () =>
    Effect.gen(function* () {
      const server = yield* populated
      for (const [name, { changes, path, read }] of Object.entries(resources)) {
        const patch = (header: string, body: unknown) =>
          Effect.map(server.send("PATCH", path, { body, headers: { "if-none-match": header } }), ({ status }) => status)
        const [one, other] = changes
        const tag = yield* tagOf(server, read)
        for (const header of ["*", tag, `W/${tag}`, `"x", ${tag}`]) {
          assert.strictEqual(yield* patch(header, one), 412, `${name} ${header}`)
        }
        assert.strictEqual(yield* patch("x", one), 400, name)
        assert.strictEqual(yield* tagOf(server, read), tag, name)
        assert.strictEqual(yield* patch('"x", "v999", "p999", "s999"', one), 200, name)
        assert.strictEqual(yield* patch(tag, other), 200, name)
        assert.strictEqual(yield* patch("*", one), 412, name)
      }
    })
  )

  it.effect("given a resource that has not changed since it was read, then it is not deleted", () =>
    Effect.gen(function* () {
      const server = yield* populated
      for (const [name, { path, read }] of Object.entries(removable)) {
        const remove = (header: string) =>
          Effect.map(server.send("DELETE", path, { headers: { "if-none-match": header } }), ({ status }) => status)
        assert.strictEqual(yield* remove("*"), 412, name)
        assert.strictEqual(yield* remove(yield* tagOf(server, read)), 412, name)
        assert.strictEqual(yield* remove('"x"'), 204, name)
        assert.strictEqual(yield* remove("*"), 404, name)
      }
    })
  )

  it.effect("given *, then a collection rejects a creation, because the collection exists", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const post = (header: string) =>
        send("POST", "/v1/categories", { body: { name: "New" }, headers: { "if-none-match": header } })
      assert.strictEqual((yield* post("*")).status, 412)
      assert.strictEqual((yield* post('"v1"')).status, 201)
    })
  )
})

describe("the conditions of a reservation that may not exist", () => {
  it.effect("given an order that does not expire, then * means that there is none", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const path = "/v1/store/orders/1/reservation"
      const set = (headers: Readonly<Record<string, string>>) =>
        Effect.map(send("PUT", `${path}?reserveFor=60000`, { headers }), ({ status }) => status)
      const remove = (headers: Readonly<Record<string, string>>) =>
        Effect.map(send("DELETE", path, { headers }), ({ status }) => status)
      const tag = (yield* send("GET", path)).headers.get("etag") ?? ""
      assert.strictEqual(yield* set({ "if-none-match": "*" }), 412)
      assert.strictEqual(yield* set({ "if-match": "*", "if-none-match": tag }), 412)
      assert.strictEqual(yield* remove({ "if-match": tag, "if-none-match": '"x"' }), 204)

      for (const headers of [
        { "if-match": "*" },
        { "if-match": tag },
        { "if-match": "*", "if-none-match": "*" },
        { "if-match": tag, "if-none-match": "*" }
      ]) {
        assert.strictEqual(yield* set(headers), 412, JSON.stringify(headers))
        assert.strictEqual(yield* remove(headers), 412, JSON.stringify(headers))
      }
      assert.strictEqual(yield* remove({ "if-none-match": "*" }), 204)
      assert.strictEqual(yield* set({ "if-none-match": "*" }), 200)
    })
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
    return { latest, send, tag: tagOf(server, `/v1${path.replace(/\?.*/, "")}`) }
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
