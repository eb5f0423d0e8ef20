import { assert, describe, it } from "@effect/vitest"
import { layer } from "@petstore/core/runtime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { gatedStorage } from "../../../test/support/GatedStorage.ts"
import { openConnection, type RawConnection } from "../../../test/support/RawConnection.ts"
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

/** Lets the server read what was written to connections before. */
const taken = ({ send }: TestServer) => send("GET", "/health/live")

const isRetryable = ({ body, headers, status, text }: Reply, code: string) => {
  assert.deepInclude(body, { code, status: 503 }, text)
  assert.strictEqual(status, 503)
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
}

describe("a server that stops", () => {
  const stopping = (options: ServeOptions = {}) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = yield* Effect.provideService(gated(options), Scope.Scope, scope)
      const stop = Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      return { server, stop }
    })

  it.effect("given requests in progress, then it finishes them, rejects new ones, and closes its connections", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* stopping()
      const { port } = server.server
      const [idle, other] = [yield* openConnection(port), yield* openConnection(port)]
      yield* idle.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* idle.reply
      yield* server.committing.close
      const waiting = yield* begun(create(server, "Cats"))
      yield* server.committing.holds(1)
      // Half a request keeps its connection from being idle.
      yield* other.write("GET /v1/pets HTTP/1.1\r\nHost: x\r\n")
      yield* taken(server)

      const stopped = yield* stop
      yield* idle.close
      yield* other.write(`Authorization: Bearer ${server.adminKey}\r\n\r\n`)
      const refused = yield* other.reply
      assert.deepInclude(refused.body, { code: "shutting_down", status: 503 })
      assert.strictEqual(refused.headers.connection, "close")
      assert.match(refused.headers["retry-after"] ?? "", /^\d+$/)
      assert.isUndefined(stopped.pollUnsafe())

      yield* server.committing.open
      const finished = yield* Fiber.join(waiting)
      assert.strictEqual(finished.status, 201)
      assert.strictEqual(finished.headers.get("connection"), "close")
      yield* Fiber.join(stopped)
    })
  )

  it.effect("given transactions that have not begun, then their requests are canceled after the drain timeout", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* stopping({ drainTimeout: "10 seconds" })
      yield* server.beginning.close
      const waiting = yield* begun(create(server, "Cats"))
      yield* server.beginning.holds(1)
      const stopped = yield* stop
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      isRetryable(yield* Fiber.join(waiting), "shutting_down")
      yield* Fiber.join(stopped)
    })
  )

  it.live(
    "given requests that were sent, on open connections and on those that wait to be accepted, then each gets a response",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { server, stop } = yield* stopping({ idleGrace: "1 second" })
          const { adminKey } = server
          const { port } = server.server
          const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`
          /** Asks again and again, until the server says that this was the last time. */
          const ask = (connection: RawConnection, pause: Duration.Input): Effect.Effect<number> =>
            Effect.gen(function* () {
              yield* connection.write(request)
              const { headers, status } = yield* connection.reply
              if (headers.connection === "close") return status
              yield* Effect.sleep(pause)
              return yield* ask(connection, pause)
            })
          const client = (index: number) =>
            Effect.flatMap(openConnection(port), (connection) => ask(connection, `${index % 40} millis`))
          const early = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 60 }, (_, index) => index),
              client,
              { concurrency: "unbounded" }
            ),
            { startImmediately: true }
          )
          yield* Effect.sleep("100 millis")
          const late = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 20 }, () => 0),
              client,
              { concurrency: "unbounded" }
            ),
            { startImmediately: true }
          )
          // In this turn the late ones are connected by the system, and not accepted yet.
          const stopped = yield* stop
          const last = [...(yield* Fiber.join(early)), ...(yield* Fiber.join(late))]
          assert.strictEqual(last.length, 80)
          assert.includeMembers([200, 503], [...new Set(last)])
          yield* Fiber.join(stopped)
        })
      )
  )

  it.live("given idle connections, then they stay open for the idle grace, and close without a response", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { server, stop } = yield* stopping({ idleGrace: "1 second" })
        const { port } = server.server
        const [idle, unused, late] = [
          yield* openConnection(port),
          yield* openConnection(port),
          yield* openConnection(port)
        ]
        for (const connection of [idle, late]) {
          yield* connection.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
          yield* connection.reply
        }
        const start = performance.now()
        const stopped = yield* stop
        yield* Effect.sleep("100 millis")
        yield* late.write("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n")
        const refused = yield* late.reply
        assert.deepInclude(refused.body, { code: "shutting_down", status: 503 })
        assert.strictEqual(refused.headers.connection, "close")
        assert.deepStrictEqual([yield* idle.close, yield* unused.close, yield* late.close], ["", "", ""])
        // Timers may end up to 1 ms early.
        assert.isAtLeast(performance.now() - start, 999)
        for (const connection of [idle, unused, late]) yield* connection.end
        yield* Fiber.join(stopped)
      })
    )
  )

  it.live("given a request that comes while the process is held up for longer, then it gets a response", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { server, stop } = yield* stopping({ idleGrace: "100 millis" })
        const connection = yield* openConnection(server.server.port)
        yield* connection.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        yield* connection.reply
        const stopped = yield* stop
        const sent = yield* begun(connection.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"))
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
        yield* Fiber.join(sent)
        assert.strictEqual((yield* connection.reply).headers.connection, "close")
        yield* connection.end
        yield* Fiber.join(stopped)
      })
    )
  )

  it.effect("given connections without requests, then it stops at once", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* stopping()
      const connection = yield* openConnection(server.server.port)
      yield* connection.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* connection.reply
      yield* Fiber.join(yield* stop)
      yield* connection.close
    })
  )
})

describe("a server that cannot listen", () => {
  it.effect("given an address in use, then the error shows the address and the reason", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer()
      const exit = yield* Effect.exit(Effect.scoped(startServer({ port: server.port })))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(
        String(exit),
        `Cannot listen on 127.0.0.1:${server.port}: EADDRINUSE, another program is listening there`
      )
    })
  )
})
