import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { layer } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { openConnection, type RawConnection } from "../../../test/support/RawConnection.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { RequestHandler } from "../RequestHandler.ts"
import { Connections } from "../transport/Connections.ts"
import { ProtocolErrors } from "../transport/ProtocolErrors.ts"

/** Where Linux says how many connections may wait to be accepted by one server. */
const somaxconn = "/proc/sys/net/core/somaxconn"

const head = "HTTP/1.1\r\nHost: x\r\n"

/** What clients send again and again, and how many of these requests are parsed before the first has its response. */
const floods: Readonly<Record<string, { readonly first?: string; readonly request: string; readonly bound?: number }>> =
  {
    "without a key": { request: `GET /v1/pets ${head}\r\n` },
    "with a wrong key": { request: `GET /v1/pets ${head}Authorization: Bearer wrong\r\n\r\n` },
    "with a key": { request: `GET /v1/pets ${head}KEY\r\n`, bound: 30 },
    "in the shortest way": { request: "GET / HTTP/1.1\r\nHost:\r\n\r\n" },
    "with HTTP/1.0": { request: "GET /v1/pets HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" },
    // The next one stands in one slice with the end of a body.
    "with a body each": { request: `POST /v1/pets ${head}Content-Length: 2\r\n\r\n{}`, bound: 2 },
    "for the health": { request: `GET /health/live ${head}\r\n` },
    "for the API description": { request: `GET /openapi.json ${head}\r\n` },
    "behind a stream": {
      first: `GET /v1/events/stream ${head}Accept: text/event-stream\r\nKEY\r\n`,
      request: `GET / ${head}\r\n`,
      bound: 72
    },
    "behind a stream and a malformed request": {
      first: `GET /v1/events/stream ${head}Accept: text/event-stream\r\nKEY\r\nGET / HTTP/1.1\r\n\r\n`,
      request: `GET / ${head}\r\n`,
      bound: 72
    }
  }

/** Counts the requests that node:http has parsed. */
const parsedRequests = Effect.acquireRelease(
  Effect.sync(() => {
    const unsent = new Map<Socket, number>()
    let most = 0
    const add = (socket: Socket, count: number): void => {
      const now = (unsent.get(socket) ?? 0) + count
      unsent.set(socket, now)
      most = Math.max(most, now)
    }
    const onStart = (message: unknown): void => add((message as { readonly socket: Socket }).socket, 1)
    const onFinish = (message: unknown): void => add((message as { readonly socket: Socket }).socket, -1)
    subscribe("http.server.request.start", onStart)
    subscribe("http.server.response.finish", onFinish)
    const stop = () => {
      unsubscribe("http.server.request.start", onStart)
      unsubscribe("http.server.response.finish", onFinish)
    }
    /** How many requests on one connection had no response at the same time, at most. */
    return { mostUnsent: () => most, stop }
  }),
  ({ stop }) => Effect.sync(stop)
)

describe("a server under pressure", () => {
  it.effect("given many requests without a key, then callers with a key and health checks do not wait for them", () =>
    Effect.gen(function* () {
      const { adminKey, server } = yield* startServer()
      const others = yield* Effect.all(Array.from({ length: 80 }, () => openConnection(server.port)))
      const [caller, probe] = [yield* openConnection(server.port), yield* openConnection(server.port)]
      for (const other of others) yield* other.write(`GET /v1/pets ${head}\r\n`.repeat(30))
      let responses = 0
      const replies = yield* Effect.forkChild(
        Effect.forEach(
          others,
          (other) =>
            Effect.gen(function* () {
              for (let i = 0; i < 30; i++) {
                assert.strictEqual((yield* other.reply).status, 401)
                responses++
              }
            }),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      for (let i = 0; i < 3; i++) {
        yield* caller.write(`GET /v1/pets ${head}Authorization: Bearer ${adminKey}\r\n\r\n`)
        assert.strictEqual((yield* caller.reply).status, 200)
      }
      yield* probe.write(`GET /health/live ${head}\r\n`)
      assert.strictEqual((yield* probe.reply).status, 200)
      assert.isBelow(responses, 2_400)
      yield* Fiber.join(replies)
      assert.strictEqual(responses, 2_400)
    })
  )

  it.effect("given many queued requests with a key, then a health check does not wait for them", () =>
    Effect.gen(function* () {
      const { adminKey, server } = yield* startServer()
      const callers = yield* Effect.all(Array.from({ length: 40 }, () => openConnection(server.port)))
      const probe = yield* openConnection(server.port)
      const ask = `GET /v1/pets ${head}Authorization: Bearer ${adminKey}\r\n\r\n`
      let responses = 0
      const awaitReply = (caller: RawConnection) =>
        Effect.gen(function* () {
          for (let i = 0; i < 50; i++) {
            yield* caller.reply
            responses++
          }
        })
      for (const caller of callers) yield* caller.write(ask.repeat(50))
      const replies = yield* Effect.forkChild(Effect.forEach(callers, awaitReply, { concurrency: "unbounded" }), {
        startImmediately: true
      })
      yield* probe.write(`GET /health/live ${head}\r\n`)
      assert.strictEqual((yield* probe.reply).status, 200)
      assert.isBelow(responses, 1_000)
      yield* Fiber.join(replies)
    })
  )

  it.effect("given hundreds of connections at once, then all are accepted without a retry", () =>
    Effect.gen(function* () {
      const { server } = yield* startServer()
      // Where the system allows fewer to wait, it does not let the server decide.
      const allowed = existsSync(somaxconn) ? Number(readFileSync(somaxconn, "utf8")) : 100
      const connectAll = Effect.promise(async () => {
        const start = performance.now()
        const sockets = Array.from({ length: Math.min(700, allowed) }, () => connect(server.port, "127.0.0.1"))
        await Promise.all(sockets.map((socket) => once(socket, "connect")))
        for (const socket of sockets) socket.destroy()
        return performance.now() - start
      })
      // More than once, in case that the machine is busy.
      let fastest = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 10 && fastest >= 1_000; attempt++) fastest = Math.min(fastest, yield* connectAll)
      // A first packet that is dropped is sent again after a second.
      assert.isBelow(fastest, 1_000)
    })
  )

  for (const [name, { bound = 1, first = "", request }] of Object.entries(floods)) {
    it.effect(`given connections that send on without waiting, ${name}, then few of their requests are parsed`, () =>
      Effect.gen(function* () {
        const { adminKey, server } = yield* startServer()
        const parsed = yield* parsedRequests
        const key = `Authorization: Bearer ${adminKey}\r\n`
        const withKey = (text: string) => text.replaceAll("KEY", key)
        const [caller, ...others] = yield* Effect.all(Array.from({ length: 11 }, () => openConnection(server.port)))
        for (const other of others) {
          yield* Effect.forkChild(other.write(withKey(first) + withKey(request).repeat(200_000 / request.length)), {
            startImmediately: true
          })
        }
        for (let i = 0; i < 5; i++) {
          yield* caller?.write(`GET /v1/pets ${head}${key}\r\n`) ?? Effect.void
          assert.strictEqual((yield* caller?.reply ?? Effect.die("There is no caller")).status, 200)
        }
        assert.isAbove(parsed.mostUnsent(), 0)
        assert.isAtMost(parsed.mostUnsent(), bound)
      })
    )
  }

  it.effect(
    "given a connection to the metrics that sends on without waiting, then one request is parsed at a time",
    () =>
      Effect.gen(function* () {
        const { server } = yield* startServer({ metricsServer: { port: 0 } })
        const parsed = yield* parsedRequests
        const port = Number(new URL(server.metricsUrl ?? "").port)
        const connection = yield* openConnection(port)
        yield* connection.write(`GET /health/live ${head}\r\n`.repeat(100))
        for (let i = 0; i < 100; i++) assert.strictEqual((yield* connection.reply).status, 200)
        assert.strictEqual(parsed.mostUnsent(), 1)
      })
  )

  it.effect(
    "given more connections than are allowed, then those that have not shown a key make room, oldest first",
    () =>
      Effect.gen(function* () {
        const { adminKey, server } = yield* startServer({ connectionLimit: 3 })
        const caller = yield* openConnection(server.port)
        const ask = Effect.gen(function* () {
          yield* caller.write(`GET /v1/pets ${head}Authorization: Bearer ${adminKey}\r\n\r\n`)
          assert.strictEqual((yield* caller.reply).status, 200)
        })
        yield* ask
        const idle = []
        for (let i = 0; i < 4; i++) {
          const connection = yield* openConnection(server.port)
          yield* connection.write(`GET /health/live ${head}\r\n`)
          assert.strictEqual((yield* connection.reply).status, 200)
          idle.push(connection)
        }
        for (const closed of idle.slice(0, 2)) assert.strictEqual(yield* closed.close, "")
        for (const open of idle.slice(2)) {
          yield* open.write(`GET /v1/pets ${head}\r\n`)
          assert.strictEqual((yield* open.reply).status, 401)
        }
        yield* ask
      })
  )

  it.effect("given connections with a key up to the limit, then a further one is closed", () =>
    Effect.gen(function* () {
      const { adminKey, server } = yield* startServer({ connectionLimit: 2 })
      const ask = `GET /v1/pets ${head}Authorization: Bearer ${adminKey}\r\n\r\n`
      const callers = [yield* openConnection(server.port), yield* openConnection(server.port)]
      for (let i = 0; i < 2; i++) {
        for (const caller of callers) {
          yield* caller.write(ask)
          assert.strictEqual((yield* caller.reply).status, 200)
        }
        assert.strictEqual(yield* (yield* openConnection(server.port)).close, "")
      }
    })
  )
})

describe("a connection without a request", () => {
  it.live(
    "given a timeout, then it is closed without a response, later than a connection with an incomplete request",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const connections = new Connections(10)
          const host = new RequestHandler(yield* Layer.build(layer(memory())))
          const faults = new ProtocolErrors(host, connections, 100)
          const server = createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 })
          server.on("clientError", faults.onClientError)
          yield* Effect.acquireRelease(
            Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
            () =>
              Effect.sync(() => {
                server.close()
                server.closeAllConnections()
              })
          )
          const { port } = server.address() as AddressInfo
          const start = performance.now()
          const [unused, half] = [yield* openConnection(port), yield* openConnection(port)]
          yield* half.write("GET /v1/pets HTTP/1.1\r\n")
          assert.strictEqual((yield* half.reply).status, 408)
          assert.strictEqual(yield* unused.close, "")
          // Each of the two timers may end up to 1 ms early.
          assert.isAtLeast(performance.now() - start, 20 + 100 - 2)
        })
      )
  )
})
