import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "@petstore/core/verify-webhook"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { Webhook } from "standardwebhooks"
import { vi } from "vitest"
import {
  bodyWith,
  ended,
  httpReceiver,
  rawReceiver,
  secret,
  sendTo,
  textOf,
  webhookTo
} from "../../test/support/receivers.ts"
import { webhookSender } from "./webhookSender.ts"

const other = `whsec_${Buffer.alloc(24, 9).toString("base64")}`

/** A receiver that accepts everything, and what it got. */
const accepting = (host?: string) => {
  const received: Array<{ readonly url?: string; readonly headers: IncomingHttpHeaders; readonly body: string }> = []
  return Effect.map(
    httpReceiver(async (request, response) => {
      const body = await textOf(request)
      received.push({ url: `${request.method} ${request.url}`, headers: request.headers, body })
      response.writeHead(204).end()
    }, host),
    (receiver) => ({ ...receiver, received })
  )
}

describe("given a receiver that accepts", () => {
  it.effect("when a webhook is sent, then it arrives once, signed by Standard Webhooks, and is delivered", () =>
    Effect.gen(function* () {
      const { port, received } = yield* accepting()
      const outcome = yield* sendTo(`http://127.0.0.1:${port}/webhooks?shop=1`)
      assert.deepStrictEqual(outcome, { delivered: true, status: 204 })
      const [{ body, headers, url } = assert.fail(), ...more] = received
      assert.deepStrictEqual([url, body, more], ["POST /webhooks?shop=1", bodyWith(), []])
      const { "webhook-timestamp": timestamp, "webhook-signature": signature, ...rest } = headers
      assert.deepStrictEqual(rest, {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "Petstore-Webhooks (+https://github.com/petstore-engine/petstore)",
        "webhook-id": "evt_1",
        host: `127.0.0.1:${port}`,
        connection: "keep-alive"
      })
      assert.closeTo(Number(timestamp), Date.now() / 1000, 5)
      assert.match(String(signature), /^v1,\S+$/)
      const verified = yield* Effect.promise(() => verifyWebhook(secret, headers, body))
      assert.deepStrictEqual<unknown>(verified, JSON.parse(body))
      assert.deepStrictEqual(
        new Webhook(secret).verify(body, {
          "webhook-id": "evt_1",
          "webhook-timestamp": String(timestamp),
          "webhook-signature": String(signature)
        }),
        JSON.parse(body)
      )
    })
  )

  it.effect("when the endpoint has two secrets, then each alone verifies the webhook", () =>
    Effect.gen(function* () {
      const { port, received } = yield* accepting()
      const secrets = [Redacted.make(secret), Redacted.make(other)]
      yield* sendTo(`http://127.0.0.1:${port}`, undefined, { secrets })
      const [{ body, headers } = assert.fail()] = received
      for (const known of [secret, other]) {
        yield* Effect.promise(() => verifyWebhook(known, headers, body))
      }
    })
  )

  it.effect("when the host is an IPv6 address or a name of this machine, then it arrives", () =>
    Effect.gen(function* () {
      const { port, received } = yield* accepting("::1")
      for (const host of ["[::1]", "localhost", "app.localhost", "LOCALHOST."]) {
        assert.deepStrictEqual(yield* sendTo(`http://${host}:${port}`), { delivered: true, status: 204 })
      }
      const hosts = ["[::1]", "localhost", "app.localhost", "localhost"]
      assert.deepStrictEqual(
        received.map(({ headers }) => headers.host),
        hosts.map((host) => `${host}:${port}`)
      )
    })
  )

  it.effect("when it responds 2xx, then the webhook is delivered", () =>
    Effect.gen(function* () {
      for (const status of [200, 201, 202, 204, 299]) {
        const { port } = yield* httpReceiver((_request, response) => response.writeHead(status).end("ok"))
        assert.deepStrictEqual(yield* sendTo(`http://127.0.0.1:${port}`), { delivered: true, status })
      }
    })
  )
})

describe("given several webhooks to one receiver", () => {
  it.effect("when one follows another, then they share a connection", () =>
    Effect.gen(function* () {
      const { connections, port, received } = yield* accepting()
      const { send } = webhookSender({ allowLoopback: true })
      for (let count = 0; count < 20; count++) yield* send(webhookTo(`http://127.0.0.1:${port}`))
      assert.deepStrictEqual([received.length, connections()], [20, 1])
    })
  )

  it.effect("when a connection is a minute old, then the name is resolved and checked again", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* accepting()
      let lookups = 0
      const { send } = webhookSender({
        allowLoopback: true,
        resolveName: async () => {
          lookups++
          return ["127.0.0.1"]
        }
      })
      const now = vi.spyOn(performance, "now")
      yield* Effect.addFinalizer(() => Effect.sync(() => now.mockRestore()))
      for (const time of [0, 30_000, 59_999, 60_000, 60_001, 90_000]) {
        now.mockReturnValue(time)
        assert.isTrue((yield* send(webhookTo(`http://shop.test:${port}`))).delivered)
      }
      assert.deepStrictEqual([connections(), lookups], [2, 2])
    })
  )

  it.effect("when names differ, then they share no connection, although the address is the same", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* accepting()
      const { send } = webhookSender({ allowLoopback: true, resolveName: async () => ["127.0.0.1"] })
      for (const name of ["a.test", "b.test", "a.test"]) yield* send(webhookTo(`http://${name}:${port}`))
      assert.strictEqual(connections(), 2)
    })
  )

  it.effect("when nothing was sent for a second, then no connection is open", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* accepting()
      const { send } = webhookSender({ allowLoopback: true })
      yield* send(webhookTo(`http://127.0.0.1:${port}`))
      const [socket = assert.fail()] = sockets
      yield* Effect.promise(() => new Promise((resolve) => socket.once("close", resolve)))
    })
  )

  it.effect("when the receiver closes the connection between two, then the next one arrives on a new one", () =>
    Effect.gen(function* () {
      const { connections, port, received, sockets } = yield* accepting()
      const { send } = webhookSender({ allowLoopback: true })
      for (let count = 0; count < 3; count++) {
        assert.isTrue((yield* send(webhookTo(`http://127.0.0.1:${port}`))).delivered)
        yield* Effect.promise(async () => {
          const closed = [...sockets].map((socket) => new Promise((resolve) => socket.end().once("close", resolve)))
          await Promise.all(closed)
        })
      }
      assert.deepStrictEqual([received.length, connections()], [3, 3])
    })
  )

  it.effect(
    "when a response is followed by another that nobody asked for, then that is not the response to the next",
    () =>
      Effect.gen(function* () {
        const response = (status: number) => `HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n\r\n`
        let requests = 0
        const { port } = yield* rawReceiver((socket) => {
          socket.on("data", () => {
            requests++
            socket.write(requests === 1 ? response(500) + response(200) : response(503))
          })
        })
        const first = yield* rawReceiver((socket) => {
          let seen = 0
          socket.on("data", () => {
            seen++
            socket.write(seen === 1 ? response(200) + response(201) : response(503))
          })
        })
        const { send } = webhookSender({ allowLoopback: true })
        assert.propertyVal(yield* send(webhookTo(`http://127.0.0.1:${port}`)), "status", 500)
        assert.propertyVal(yield* send(webhookTo(`http://127.0.0.1:${port}`)), "status", 503)
        yield* send(webhookTo(`http://127.0.0.1:${first.port}`))
        assert.notPropertyVal(yield* send(webhookTo(`http://127.0.0.1:${first.port}`)), "status", 201)
      })
  )
})

describe("given a limit of attempts at a time", () => {
  it.effect("when more are made, then they wait, and all arrive", () =>
    Effect.gen(function* () {
      let most = 0
      let waiting: Array<ServerResponse> = []
      const { port } = yield* httpReceiver((request, response) => {
        request.resume()
        if (waiting.push(response) !== 3) return
        // Long enough for a fourth request to arrive, if nothing held it back.
        setTimeout(() => {
          most = Math.max(most, waiting.length)
          for (const one of waiting) one.end()
          waiting = []
        }, 10)
      })
      const { send } = webhookSender({ allowLoopback: true, connectionLimit: 3 })
      const all = Array.from({ length: 30 }, () => send(webhookTo(`http://127.0.0.1:${port}`)))
      const outcomes = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.isTrue(outcomes.every(({ delivered }) => delivered))
      assert.strictEqual(most, 3)
    })
  )

  it.effect("when many receivers were reached, then no more connections than that stay open", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* accepting()
      const { send } = webhookSender({
        allowLoopback: true,
        connectionLimit: 3,
        resolveName: async () => ["127.0.0.1"]
      })
      for (let count = 0; count < 10; count++) {
        yield* send(webhookTo(`http://host${count}.test:${port}`))
        assert.isAtMost(sockets.size, 4)
      }
    })
  )
})

describe("given an attempt in progress", () => {
  const hanging = rawReceiver(() => {})

  it.effect("when it is interrupted, then its connection ends", () =>
    Effect.gen(function* () {
      const { connected, port, sockets } = yield* hanging
      const { send } = webhookSender({ allowLoopback: true })
      const fiber = yield* Effect.forkChild(send(webhookTo(`http://127.0.0.1:${port}`)))
      yield* connected()
      const [socket = assert.fail()] = sockets
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => ended(socket))
    })
  )

  it.effect(
    "when it is interrupted while its name is resolved, then the look-up is told, and nothing is connected to",
    () =>
      Effect.gen(function* () {
        const { connections, port } = yield* hanging
        const aborted = Promise.withResolvers<void>()
        const asked = Promise.withResolvers<void>()
        const { send } = webhookSender({
          allowLoopback: true,
          resolveName: (_name, signal) => {
            asked.resolve()
            return new Promise((resolve) =>
              signal.addEventListener("abort", () => {
                resolve(["127.0.0.1"])
                aborted.resolve()
              })
            )
          }
        })
        const fiber = yield* Effect.forkChild(send(webhookTo(`http://shop.test:${port}`)))
        yield* Effect.promise(() => asked.promise)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => aborted.promise)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        assert.strictEqual(connections(), 0)
      })
  )
})

describe("given options of plain JavaScript", () => {
  for (const [options, name] of [
    [{ allowLoopback: "yes" }, "allowLoopback"],
    [{ allowAddresses: "10.0.0.0/8" }, "allowAddresses"],
    [{ allowAddresses: ["10.0.0.0/8", "10.0.0.0/33"] }, 'allowAddresses contains "10.0.0.0/33"'],
    [{ allowAddresses: ["10.0.0.0/-1"] }, "allowAddresses"],
    [{ allowAddresses: ["10.0.0.0/08"] }, "allowAddresses"],
    [{ allowAddresses: ["10.0.0.0/8/8"] }, "allowAddresses"],
    [{ allowAddresses: ["::/129"] }, "allowAddresses"],
    [{ allowAddresses: ["fe80::1%eth0"] }, "allowAddresses"],
    [{ allowAddresses: ["intranet"] }, "allowAddresses"],
    [{ allowAddresses: ["10.0.*.*"] }, "allowAddresses"],
    [{ allowAddresses: [""] }, 'allowAddresses contains ""'],
    [{ allowAddresses: [7] }, "allowAddresses"],
    [{ certificateAuthorities: ["/etc/ca.pem"] }, "certificateAuthorities"],
    [{ connectionLimit: 0 }, "connectionLimit"],
    [{ responseLimit: -1 }, "responseLimit"],
    [{ resolveName: "8.8.8.8" }, "resolveName"],
    [{ followRedirects: true }, "followRedirects"]
  ] as const) {
    it(`when they are ${JSON.stringify(options)}, then a TypeError names the option`, () => {
      // @ts-expect-error what plain JavaScript may pass
      assert.throws(() => webhookSender(options), TypeError, name)
    })
  }
})
