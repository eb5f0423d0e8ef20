import { assert, describe, it } from "@effect/vitest"
import { validator } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import { populate, sampleRequests } from "../../../test/support/sampleStore.ts"
import { type Sending, startServer, type TestServer } from "../../../test/support/TestServer.ts"
import type { PlainSchema } from "../../api/operation.ts"
import { type Operation, operations } from "../../api/operations.ts"

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
            operation.streams ? "no-store, no-transform" : operation.secret ? "no-store" : "private, no-cache"
          )
          assert.strictEqual(reply.headers.has("sunset"), operation.deprecation !== undefined)
          assert.strictEqual(reply.headers.has("idempotent-replayed"), false)

          if (operation.success === undefined) return assert.strictEqual(reply.text, "")
          if (operation.streams === true) {
            assert.strictEqual(reply.headers.get("content-type"), "text/event-stream")
            return assert.match(reply.text, /^retry: \d+\n\n/)
          }
          assert.strictEqual(reply.headers.get("content-type"), "application/json")
          if (createsOne) {
            const read = yield* server.send("GET", reply.headers.get("location") ?? "")
            assert.deepInclude(read.body, { id: (reply.body as { readonly id: unknown }).id })
          }
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
  }

  it.effect("given HEAD of every GET, then the response has the headers of GET and no body", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const compared = (headers: Headers) =>
        Object.fromEntries(
          [...headers].filter(
            ([name]) => ![...hopByHop, "date", "transfer-encoding", "x-request-id", "ratelimit"].includes(name)
          )
        )
      for (const operation of operations.filter(({ method }) => method === "GET")) {
        const get = yield* sendSample(server, operation)
        const head = yield* sendSample(server, operation, {}, "HEAD")
        assert.strictEqual(head.status, 200, operation.id)
        assert.strictEqual(head.text, "", operation.id)
        assert.deepStrictEqual(compared(head.headers), compared(get.headers), operation.id)
      }
    })
  )
})
