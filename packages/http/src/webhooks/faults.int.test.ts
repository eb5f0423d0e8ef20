import { assert, describe, it } from "@effect/vitest"
import type { WebhookFailureReason, WebhookOutcome } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import {
  ended,
  httpReceiver,
  type Receiver,
  rawReceiver,
  scriptedReceiver,
  secret,
  secretCanary,
  sendTo,
  webhookTo
} from "../../test/support/receivers.ts"
import { webhookSender } from "./webhookSender.ts"

/** What receivers in these tests respond with, which no outcome may show. */
const responseCanary = "responsecanary"

/** Checks what holds for every failed attempt, and returns its reason and status. */
const failureOf = (outcome: WebhookOutcome): readonly [WebhookFailureReason, number?] => {
  if (outcome.delivered) return assert.fail("It was delivered")
  assert.match(outcome.message, /^[^\r\n]{1,200}$/)
  for (const canary of [responseCanary, secret, secretCanary, "bodycanary"]) {
    assert.notInclude(JSON.stringify(outcome), canary)
  }
  return outcome.status === undefined ? [outcome.reason] : [outcome.reason, outcome.status]
}

const urlOf = ({ port }: Receiver): string => `http://127.0.0.1:${port}/`

/** The outcome of one webhook to a receiver whose bytes make it end by itself. */
const outcomeFrom = (receiver: Effect.Effect<Receiver, never, Scope.Scope>) =>
  Effect.flatMap(receiver, (found) => sendTo(urlOf(found)))

/** The outcome of one webhook to a receiver that does not end: the test clock passes the time that the attempt has. */
const outcomeAfterTimeout = (receiver: Effect.Effect<Receiver, never, Scope.Scope>, ready: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const found = yield* receiver
    const { send } = webhookSender({ allowLoopback: true })
    const fiber = yield* Effect.forkChild(send(webhookTo(urlOf(found))))
    yield* found.connected()
    yield* ready
    yield* TestClock.adjust(14_999)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    const outcome = yield* Fiber.join(fiber)
    // The sender ends the connection, too.
    yield* Effect.promise(() => Promise.all([...found.sockets].map(ended)))
    return failureOf(outcome)
  })

const soon = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 50)))

describe("given a receiver that takes its time", () => {
  it.effect("when it hangs without a response, then the attempt times out", () =>
    Effect.gen(function* () {
      const failure = yield* outcomeAfterTimeout(
        rawReceiver(() => {}),
        soon
      )
      assert.deepStrictEqual(failure, ["timeout"])
    })
  )

  for (const [what, start, status] of [
    ["its headers", "HTTP/1.1 200 OK\r\nX-Slow: ", undefined],
    ["its body", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", 200],
    ["its chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n", 200]
  ] as const) {
    it.effect(`when it drips ${what} byte by byte, then the attempt times out all the same`, () =>
      Effect.gen(function* () {
        let dripped = 0
        const enough = Promise.withResolvers<void>()
        const receiver = rawReceiver((socket) => {
          socket.write(start)
          const timer = setInterval(() => {
            socket.write("x")
            if (++dripped === 10) enough.resolve()
          }, 5)
          socket.once("close", () => clearInterval(timer))
        })
        const failure = yield* outcomeAfterTimeout(
          receiver,
          Effect.promise(() => enough.promise)
        )
        assert.deepStrictEqual(failure, status === undefined ? ["timeout"] : ["timeout", status])
      })
    )
  }

  it.effect("when it announces the response for ever, then the attempt times out", () =>
    Effect.gen(function* () {
      const receiver = rawReceiver((socket) => {
        const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(10)), 5)
        socket.once("close", () => clearInterval(timer))
      })
      assert.deepStrictEqual(yield* outcomeAfterTimeout(receiver, soon), ["timeout"])
    })
  )

  it.effect("when it announces the response a few times, then the webhook is delivered", () =>
    Effect.gen(function* () {
      const head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      const outcome = yield* outcomeFrom(scriptedReceiver(`${head}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`))
      assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
    })
  )

  it.effect("when the limit of attempts is reached, then waiting for others does not count towards the timeout", () =>
    Effect.gen(function* () {
      const { connected, port } = yield* rawReceiver(() => {})
      const { send } = webhookSender({ allowLoopback: true, connectionLimit: 1 })
      const url = `http://127.0.0.1:${port}`
      const first = yield* Effect.forkChild(send(webhookTo(url, { timeout: 10_000 })))
      yield* connected()
      const second = yield* Effect.forkChild(send(webhookTo(url, { timeout: 5_000 })))
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(failureOf(yield* Fiber.join(first)), ["timeout"])
      assert.isUndefined(second.pollUnsafe())
      yield* connected(2)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(failureOf(yield* Fiber.join(second)), ["timeout"])
    })
  )
})

describe("given a receiver that sends too much", () => {
  it.effect("when its response has 1 GB, then it is cut off, and memory stays", () =>
    Effect.gen(function* () {
      const chunk = Buffer.alloc(1 << 20, "x")
      let written = 0
      const receiver = rawReceiver((socket) => {
        socket.resume()
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        const pump = () => {
          while (written < 1 << 30 && !socket.destroyed) {
            written += chunk.length
            if (!socket.write(chunk)) return
          }
        }
        socket.on("drain", pump)
        pump()
      })
      const before = process.memoryUsage()
      assert.deepStrictEqual(failureOf(yield* outcomeFrom(receiver)), ["response_too_large", 200])
      const after = process.memoryUsage()
      assert.isBelow(written, 64 << 20)
      assert.isBelow(after.arrayBuffers - before.arrayBuffers, 16 << 20)
      assert.isBelow(after.rss - before.rss, 128 << 20)
    })
  )

  for (const [size, delivered] of [
    [65_536, true],
    [65_537, false]
  ] as const) {
    for (const framing of ["Content-Length", "chunked", "until the end of the connection"]) {
      it.effect(`when its response has ${size} bytes, ${framing}, then it is ${delivered ? "" : "not "}delivered`, () =>
        Effect.gen(function* () {
          const receiver = httpReceiver((_request, response) => {
            if (framing === "Content-Length") response.setHeader("Content-Length", size)
            if (framing.startsWith("until")) response.shouldKeepAlive = response.useChunkedEncodingByDefault = false
            response.write("x")
            response.end("x".repeat(size - 1))
          })
          const outcome = yield* outcomeFrom(receiver)
          if (delivered) assert.deepStrictEqual(outcome, { delivered: true, status: 200 })
          else assert.deepStrictEqual(failureOf(outcome), ["response_too_large", 200])
        })
      )
    }
  }

  it.effect("when its headers are too large, then it is cut off", () =>
    Effect.gen(function* () {
      for (const headers of [`X-Large: ${"x".repeat(100_000)}\r\n`, "X-Many: x\r\n".repeat(10_000)]) {
        const outcome = yield* outcomeFrom(scriptedReceiver(`HTTP/1.1 200 OK\r\n${headers}\r\n`))
        assert.deepStrictEqual(failureOf(outcome), ["response_too_large"])
      }
    })
  )

  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  for (const [what, start, part] of [
    ["interim responses", "", "HTTP/1.1 102 Processing\r\n\r\n"],
    ["empty lines in front of its response", "", "\r\n"],
    ["zeros in front of the size of a chunk", chunked, "0"],
    ["characters after the size of a chunk", `${chunked}1;a=`, "b"],
    ["tiny chunks with long extensions", chunked, `1;${"a".repeat(1_000)}\r\nx\r\n`],
    ["trailers", `${chunked}0\r\n`, "X-Trailer: x\r\n"],
    ["a status line", "HTTP/1.1 200 ", "a"]
  ] as const) {
    it.effect(`when it sends ${what} without an end, then it is cut off`, () =>
      Effect.gen(function* () {
        let written = 0
        const receiver = rawReceiver((socket) => {
          socket.resume().write(start)
          const text = part.repeat(Math.ceil(65_536 / part.length))
          const pump = () => {
            do written += text.length
            while (!socket.destroyed && socket.write(text))
          }
          socket.on("drain", pump)
          pump()
        })
        const [reason] = failureOf(yield* outcomeFrom(receiver))
        assert.include(["response_too_large", "invalid_response"], reason)
        assert.isBelow(written, 64 << 20)
      })
    )
  }

  for (const [status, reason] of [
    [410, "gone"],
    [503, "status"],
    [302, "redirect"]
  ] as const) {
    it.effect(`when it responds ${status} with a body without an end, then the status is the outcome`, () =>
      Effect.gen(function* () {
        const receiver = httpReceiver((_request, response) => {
          response.writeHead(status, { "Retry-After": "7", Location: "http://127.0.0.1:1/" })
          const pump = () => {
            while (response.write(responseCanary.repeat(1_000)));
          }
          response.on("drain", pump)
          pump()
        })
        const outcome = yield* outcomeFrom(receiver)
        assert.deepStrictEqual(failureOf(outcome), [reason, status])
        assert.propertyVal(outcome, "retryAfter", 7)
      })
    )
  }
})

describe("given a receiver that redirects", () => {
  it.effect("when it responds 3xx, then nothing is sent to the other place", () =>
    Effect.gen(function* () {
      const other = yield* httpReceiver((_request, response) => response.end())
      for (const status of [300, 301, 302, 303, 304, 305, 307, 308, 399]) {
        const outcome = yield* outcomeFrom(
          httpReceiver((_request, response) => response.writeHead(status, { Location: urlOf(other) }).end())
        )
        assert.deepStrictEqual(failureOf(outcome), ["redirect", status])
      }
      yield* soon
      assert.strictEqual(other.connections(), 0)
    })
  )
})

describe("given a receiver that responds with a failure", () => {
  it.effect("when it responds 4xx or 5xx, then that is the outcome, without the body", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 404, 409, 410, 429, 500, 502, 599]) {
        const outcome = yield* outcomeFrom(
          httpReceiver((_request, response) => response.writeHead(status, responseCanary).end(responseCanary))
        )
        assert.deepStrictEqual(failureOf(outcome), [status === 410 ? "gone" : "status", status])
        assert.notProperty(outcome, "retryAfter")
      }
    })
  )

  it.effect("when it asks to retry later, then that is so many seconds by the clock, or none", () =>
    Effect.gen(function* () {
      for (const [header, seconds] of [
        ["Thu, 01 Jan 1970 00:02:00 GMT", 120],
        ["86401", 86_400],
        ["9".repeat(40), 86_400],
        ["soon", undefined]
      ] as const) {
        const outcome = yield* outcomeFrom(
          httpReceiver((_request, response) => response.writeHead(503, { "Retry-After": header }).end())
        )
        assert.deepStrictEqual(failureOf(outcome), ["status", 503])
        assert.strictEqual(outcome.delivered ? undefined : outcome.retryAfter, seconds)
      }
    })
  )

  it.effect("when it responds before it has read a large body, then its response is the outcome", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver((_request, response) =>
        response.writeHead(413, { Connection: "close" }).end()
      )
      const outcome = yield* sendTo(urlOf(receiver), undefined, { body: "x".repeat(200_000) })
      assert.deepStrictEqual(failureOf(outcome), ["status", 413])
    })
  )
})

describe("given a receiver whose connection breaks", () => {
  const ok = "HTTP/1.1 200 OK\r\n"
  for (const [what, bytes, ending, status] of [
    ["resets before the response", "", "reset", undefined],
    ["ends before the response", "", "end", undefined],
    ["resets within the headers", `${ok}Content-`, "reset", undefined],
    ["ends within the headers", `${ok}Content-`, "end", undefined],
    ["resets within the body", `${ok}Content-Length: 1000\r\n\r\n${responseCanary}`, "reset", 200],
    ["ends within the body", `${ok}Content-Length: 1000\r\n\r\n${responseCanary}`, "end", 200],
    ["resets within a chunk", `${ok}Transfer-Encoding: chunked\r\n\r\n1000\r\n${responseCanary}`, "reset", 200],
    ["ends between chunks", `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, "end", 200]
  ] as const) {
    it.effect(`when it ${what}, then the attempt failed`, () =>
      Effect.gen(function* () {
        const failure = failureOf(yield* outcomeFrom(scriptedReceiver(bytes, ending)))
        // What is broken off may also be read as invalid HTTP.
        if (failure[0] !== "invalid_response") assert.strictEqual(failure[0], "connection")
        assert.strictEqual(failure[1], status)
      })
    )
  }

  it.effect("when it resets at once, then the attempt failed", () =>
    Effect.gen(function* () {
      const outcome = yield* outcomeFrom(rawReceiver((socket) => socket.resetAndDestroy()))
      assert.deepStrictEqual(failureOf(outcome), ["connection"])
    })
  )

  it.effect("when nothing listens, then the attempt failed", () =>
    Effect.gen(function* () {
      // No test is given this port.
      const outcome = yield* sendTo("http://127.0.0.1:1027/")
      assert.deepStrictEqual(failureOf(outcome), ["connection"])
      assert.include(outcome.delivered ? "" : outcome.message, "refused")
    })
  )
})

describe("given a receiver that does not speak HTTP", () => {
  for (const [what, bytes] of Object.entries({
    "greets as SSH does": `SSH-2.0-${responseCanary}\r\n`,
    "greets as SMTP does": `220 ${responseCanary} ESMTP\r\n`,
    "reports an error as Redis does": `-ERR ${responseCanary}\r\n`,
    "speaks HTTP/0.9": `<html>${responseCanary}</html>`,
    "speaks HTTP/2": "\0\0\x12\x04\0\0\0\0\0",
    "sends zeros": "\0".repeat(1_000),
    "sends a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
    "sends a status above all": "HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n",
    "sends a status above that of errors": "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
    "sends a status below all": "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
    "sends a version that does not exist": "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
    "sends a negative length": "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "sends two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
    "sends a length and chunks": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "sends a bad chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "sends a header without a name": "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    "sends a null in a header": "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    "folds a header": "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
    "switches protocols": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
  })) {
    it.effect(`when it ${what}, then the response is invalid`, () =>
      Effect.gen(function* () {
        const [reason, status = 200] = failureOf(yield* outcomeFrom(scriptedReceiver(bytes)))
        assert.strictEqual(reason, "invalid_response")
        assert.isTrue(status >= 100 && status <= 599)
      })
    )
  }
})

describe("given a webhook that cannot be sent", () => {
  it.effect("when its secret is not one, then that is the outcome, and the message does not show it", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver((_request, response) => response.end())
      const outcome = yield* sendTo(urlOf(receiver), undefined, { secrets: [Redacted.make(`x${secretCanary}`)] })
      assert.deepStrictEqual(failureOf(outcome), ["connection"])
      assert.include(outcome.delivered ? "" : outcome.message, "secret")
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.effect("when its id cannot be a header, then that is the outcome", () =>
    Effect.gen(function* () {
      const receiver = yield* httpReceiver((_request, response) => response.end())
      const outcome = yield* sendTo(urlOf(receiver), undefined, { id: "evt_1\r\nX-Injected: 1" })
      assert.deepStrictEqual(failureOf(outcome), ["connection"])
      assert.strictEqual(receiver.connections(), 0)
    })
  )
})
