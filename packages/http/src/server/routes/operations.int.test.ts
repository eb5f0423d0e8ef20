import { assert, describe, it } from "@effect/vitest"
import { Scope, validator } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { type Sending, startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { type Operation, operations, type PlainSchema } from "../../api/operations.ts"

const populated = Effect.gen(function* () {
  const server = yield* startServer()
  const { messageId } = yield* populate(server)
  return { ...server, samples: sampleRequests(messageId) }
})

type Populated = TestServer & { readonly samples: ReturnType<typeof sampleRequests> }

const sendSample = ({ samples, send }: Populated, operation: Operation, sending: Sending = {}, method?: string) => {
  const { needs: _needs, path, ...sample } = samples[operation.id]
  return send(method ?? operation.method, `/v1${path}`, { ...sample, ...sending })
}

/** The names of the fields of a struct, of the items of a list, or of the structs of a union, in the order of the schema. */
const fieldsOf = ({ ast }: PlainSchema): ReadonlyArray<string> => {
  const item = SchemaAST.isArrays(ast) ? ast.rest[0] : ast
  const struct = item !== undefined && SchemaAST.isUnion(item) ? item.types[0] : item
  return struct !== undefined && SchemaAST.isObjects(struct)
    ? struct.propertySignatures.map(({ name }) => String(name))
    : []
}

const hopByHop = ["connection", "keep-alive"]

/** All scopes but one, and those that could stand for it. */
const allBut = (scope: Scope) =>
  Scope.literals.filter(
    (other) =>
      ![scope, "admin", "orders:own"].includes(other) && !(scope === "events:read" && other.startsWith("events:"))
  )

describe("every operation", () => {
  for (const operation of operations) {
    it.effect(
      `given ${operation.method} ${operation.path}, then the response is ${operation.status} as in its contract`,
      () =>
        Effect.gen(function* () {
          const server = yield* populated
          const reply = yield* sendSample(server, operation)

          assert.strictEqual(reply.status, operation.status, reply.text)
          assert.match(reply.headers.get("x-request-id") ?? "", /^[\w-]+$/)
          assert.strictEqual(reply.headers.get("ratelimit-policy"), '"default";q=60000;w=60')
          assert.strictEqual(
            reply.headers.has("etag"),
            operation.entityTag !== undefined && operation.success !== undefined
          )
          const createsOne = [201, 202].includes(operation.status) && !Array.isArray(reply.body)
          assert.strictEqual(reply.headers.has("location"), createsOne)
          assert.strictEqual(
            reply.headers.get("cache-control"),
            operation.secret || operation.streams ? "no-store" : null
          )
          assert.strictEqual(reply.headers.has("sunset"), operation.deprecation !== undefined)
          assert.strictEqual(reply.headers.has("idempotent-replayed"), false)

          if (operation.success === undefined) return assert.strictEqual(reply.text, "")
          if (operation.streams === true) {
            assert.strictEqual(reply.headers.get("content-type"), "text/event-stream")
            return assert.match(reply.text, /^retry: \d+\n\n/)
          }
          assert.strictEqual(reply.headers.get("content-type"), "application/json")
          const valid = validator(operation.success)("/body", reply.body)
          assert.isTrue(Result.isSuccess(valid), reply.text)
          const items = Array.isArray(reply.body) ? reply.body : [reply.body]
          assert.isAbove(items.length, 0)
          for (const item of items) {
            const expected = fieldsOf(operation.success).filter((name) => Object.hasOwn(item, name))
            assert.deepStrictEqual(Object.keys(item), expected)
          }
        })
    )

    it.effect(`given ${operation.method} ${operation.path}, then the key needs each of its scopes`, () =>
      Effect.gen(function* () {
        const server = yield* populated
        const anonymous = yield* sendSample(server, operation, { key: undefined })
        assert.strictEqual(anonymous.status, 401)
        assert.strictEqual(anonymous.headers.get("www-authenticate"), 'Bearer realm="petstore"')

        for (const scope of operation.scopes) {
          const key = yield* server.keyWith(allBut(scope))
          const refused = yield* sendSample(server, operation, { key })
          assert.strictEqual(refused.status, 403, refused.text)
          assert.deepInclude(refused.body, { code: "insufficient_scope", details: { scope } })
        }
        const key = yield* server.keyWith([
          ...operation.scopes,
          ...(operation.bodyScope ? [operation.bodyScope.scope] : [])
        ])
        const allowed = yield* sendSample(server, operation, { key })
        assert.strictEqual(allowed.status, operation.status, allowed.text)
      })
    )
  }

  for (const operation of operations.filter(({ method }) => method === "GET")) {
    it.effect(`given HEAD ${operation.path}, then the response has the headers of GET and no body`, () =>
      Effect.gen(function* () {
        const server = yield* populated
        const compared = (headers: Headers) =>
          Object.fromEntries(
            [...headers].filter(
              ([name]) => ![...hopByHop, "date", "transfer-encoding", "x-request-id", "ratelimit"].includes(name)
            )
          )
        const get = yield* sendSample(server, operation)
        const head = yield* sendSample(server, operation, {}, "HEAD")
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.deepStrictEqual(compared(head.headers), compared(get.headers))
      })
    )
  }

  for (const operation of operations.filter(({ location }) => location !== undefined)) {
    it.effect(`given ${operation.method} ${operation.path}, then Location leads to the created resource`, () =>
      Effect.gen(function* () {
        const server = yield* populated
        const made = yield* sendSample(server, operation)
        const read = yield* server.send("GET", made.headers.get("location") ?? "")
        assert.strictEqual(read.status, 200)
        assert.strictEqual((read.body as { id: unknown }).id, (made.body as { id: unknown }).id)
      })
    )
  }

  for (const operation of operations.filter(({ bodyScope }) => bodyScope !== undefined)) {
    it.effect(`given ${operation.method} ${operation.path}, then completing an order needs one more scope`, () =>
      Effect.gen(function* () {
        const server = yield* populated
        const key = yield* server.keyWith(allBut("orders:fulfil"))
        const of = operation.bodyScope?.of
        const order = (complete: boolean) => ({ petId: 2, complete })
        const bodyOf = (complete: boolean) => (of === undefined ? order(complete) : { [of]: [{}, order(complete)] })
        const completing = { key, body: bodyOf(true) }
        const refused = yield* sendSample(server, operation, completing)
        assert.strictEqual(refused.status, 403)
        assert.deepInclude(refused.body, { code: "insufficient_scope", details: { scope: "orders:fulfil" } })
        assert.isTrue(refused.headers.has("ratelimit"))
        const other = yield* sendSample(server, operation, { ...completing, body: bodyOf(false) })
        assert.strictEqual(other.status, operation.status, other.text)
      })
    )
  }
})
