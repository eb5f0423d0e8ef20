import { assert, describe, it } from "@effect/vitest"
import { layer } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { gatedStorage } from "../../../test/support/GatedStorage.ts"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { type Reply, startServer, type TestServer } from "../../../test/support/TestServer.ts"
import type { ServeOptions } from "../options.ts"

/** A server on a store whose transactions can be held up. */
const gated = (options: ServeOptions = {}) =>
  Effect.gen(function* () {
    const { adapter, beginning, committing } = gatedStorage()
    const runtime = yield* Layer.build(layer(adapter))
    const server = yield* startServer(options, runtime)
    return { ...server, beginning, committing }
  })

const create = ({ send }: TestServer, name: string) => send("POST", "/v1/categories", { body: { name } })

const begun = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })

const names = ({ send }: TestServer) =>
  Effect.map(send("GET", "/v1/categories"), ({ body }) =>
    (body as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
  )

const isRetryable = ({ body, headers, status, text }: Reply, code: string) => {
  assert.deepInclude(body, { code, status: 503 }, text)
  assert.strictEqual(status, 503)
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
}

describe("a request that waits too long", () => {
  it.effect("given that its transaction has not begun, then it is canceled, and nothing has changed", () =>
    Effect.gen(function* () {
      const server = yield* gated({ requestTimeout: "10 seconds" })
      yield* server.beginning.close
      const waiting = yield* begun(create(server, "Cats"))
      yield* server.beginning.holds(1)
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("4 seconds")
      isRetryable(yield* Fiber.join(waiting), "request_timeout")
      yield* server.beginning.open
      assert.strictEqual((yield* create(server, "Dogs")).status, 201)
      assert.deepStrictEqual(yield* names(server), ["Dogs"])
    })
  )

  it.effect("given that its transaction has begun, then the response is its result, however long that takes", () =>
    Effect.gen(function* () {
      const server = yield* gated({ requestTimeout: "10 seconds" })
      yield* server.committing.close
      const waiting = yield* begun(create(server, "Cats"))
      yield* server.committing.holds(1)
      yield* TestClock.adjust("5 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* server.committing.open
      assert.strictEqual((yield* Fiber.join(waiting)).status, 201)
      assert.deepStrictEqual(yield* names(server), ["Cats"])
    })
  )

  it.effect("given an incomplete body, then the response shows it, and the connection closes", () =>
    Effect.gen(function* () {
      const server = yield* gated({ requestTimeout: "10 seconds" })
      const connection = yield* openConnection(server.server.port)
      yield* connection.write(
        `POST /v1/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminKey}\r\nContent-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n`
      )
      assert.strictEqual((yield* connection.reply).status, 100)
      yield* connection.write('{"name":')
      yield* TestClock.adjust("15 seconds")
      const reply = yield* connection.reply
      assert.deepInclude(reply.body, { code: "incomplete_request", status: 408 })
      assert.property(reply.headers, "ratelimit")
      assert.strictEqual(reply.headers.connection, "close")
      assert.deepStrictEqual(yield* names(server), [])
    })
  )
})

describe("a client that disconnects", () => {
  it.effect("given its request in the queue, then the request is canceled", () =>
    Effect.gen(function* () {
      const server = yield* gated()
      yield* server.beginning.close
      const waiting = yield* begun(create(server, "Cats"))
      yield* server.beginning.holds(1)
      yield* Fiber.interrupt(waiting)
      yield* server.beginning.releases
      yield* server.beginning.open
      assert.strictEqual((yield* create(server, "Dogs")).status, 201)
      assert.deepStrictEqual(yield* names(server), ["Dogs"])
    })
  )
})

describe("an overloaded server", () => {
  it.effect("given a full queue, then it rejects requests until there is room", () =>
    Effect.gen(function* () {
      const server = yield* gated({ waitingLimit: 2 })
      yield* server.beginning.close
      const waiting = [yield* begun(create(server, "Cats")), yield* begun(create(server, "Dogs"))]
      yield* server.beginning.holds(2)
      isRetryable(yield* create(server, "Fish"), "overloaded")
      isRetryable(yield* server.send("GET", "/v1/pets/1"), "overloaded")
      assert.strictEqual((yield* server.send("GET", "/v1/nothing")).status, 404)
      assert.strictEqual((yield* server.send("GET", "/health/live")).status, 200)
      yield* server.beginning.open
      for (const fiber of waiting) assert.strictEqual((yield* Fiber.join(fiber)).status, 201)
      assert.strictEqual((yield* create(server, "Fish")).status, 201)
    })
  )
})
