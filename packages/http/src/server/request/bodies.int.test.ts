import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConnection } from "../../../test/support/RawConnection.ts"
import { startServer } from "../../../test/support/TestServer.ts"

const limit = 200

/** A message whose JSON has a number of bytes. */
const message = (bytes: number) => {
  const empty = JSON.stringify({ message: "" })
  return JSON.stringify({ message: "x".repeat(bytes - empty.length) })
}

const started = Effect.gen(function* () {
  const { adminKey, send, server } = yield* startServer({ bodyLimit: limit })
  const connection = yield* openConnection(server.port)
  const head = (...more: ReadonlyArray<string>) =>
    [
      "POST /v1/messages HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${adminKey}`,
      "Content-Type: application/json",
      ...more,
      "\r\n"
    ].join("\r\n")
  const messages = Effect.map(send("GET", "/v1/messages"), ({ body }) => (body as ReadonlyArray<unknown>).length)
  return { adminKey, send, connection, head, messages, port: server.port }
})

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

describe("a body", () => {
  it.effect("given as many bytes as the limit, with a length or chunked, then it is accepted", () =>
    Effect.gen(function* () {
      const { connection, head, messages } = yield* started
      yield* connection.write(head(`Content-Length: ${limit}`) + message(limit))
      assert.strictEqual((yield* connection.reply).status, 202)
      yield* connection.write(`${head("Transfer-Encoding: Chunked")}${chunk(message(limit))}0\r\n\r\n`)
      assert.strictEqual((yield* connection.reply).status, 202)
      assert.strictEqual(yield* messages, 2)
    })
  )

  it.effect("given one byte more, with a length or chunked, then it is rejected, and the connection stays open", () =>
    Effect.gen(function* () {
      const { connection, head, messages } = yield* started
      yield* connection.write(head(`Content-Length: ${limit + 1}`) + message(limit + 1))
      const declared = yield* connection.reply
      assert.deepInclude(declared.body, { code: "payload_too_large", status: 413, details: { limit } })
      yield* connection.write(`${head("Transfer-Encoding: chunked")}${chunk(message(limit + 1))}0\r\n\r\n`)
      const streamed = yield* connection.reply
      assert.deepInclude(streamed.body, { code: "payload_too_large", status: 413, details: { limit } })
      yield* connection.write(head(`Content-Length: ${limit}`) + message(limit))
      assert.strictEqual((yield* connection.reply).status, 202)
      assert.strictEqual(yield* messages, 1)
    })
  )

  it.effect("given some megabytes, then it is rejected, and the client can read the response", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const reply = yield* send("POST", "/v1/messages", { raw: message(3_000_000) })
      assert.strictEqual(reply.status, 413)
    })
  )

  it.effect("given a body without end, then its connection is closed", () =>
    Effect.gen(function* () {
      const { connection, head } = yield* started
      yield* connection.write(head("Transfer-Encoding: chunked"))
      const part = chunk("x".repeat(64 * 1024))
      yield* Effect.raceFirst(
        Effect.forever(Effect.andThen(connection.write(part), Effect.yieldNow)),
        Effect.tap(connection.close, (received) => Effect.sync(() => assert.match(received, /^HTTP\/1.1 413 /)))
      )
    })
  )

  it.effect("given one byte at a time, then it is read as a whole", () =>
    Effect.gen(function* () {
      const { connection, head } = yield* started
      const text = JSON.stringify({ message: "é😀" })
      yield* connection.write(head("Transfer-Encoding: chunked"))
      for (const byte of Buffer.from(text)) {
        yield* connection.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]))
      }
      yield* connection.write("0\r\n\r\n")
      const reply = yield* connection.reply
      assert.deepInclude(reply.body, { message: "é😀" })
    })
  )

  it.effect("given that its client disconnects, then nothing has changed", () =>
    Effect.gen(function* () {
      const { connection, head, messages, port } = yield* started
      yield* connection.write(head("Content-Length: 100") + JSON.stringify({ message: "Hi" }))
      yield* connection.destroy
      // Once the server has responded to a later request, it has noticed the disconnect.
      const other = yield* openConnection(port)
      yield* other.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.strictEqual((yield* other.reply).status, 200)
      assert.strictEqual(yield* messages, 0)
    })
  )

  it.effect(
    "given a client that expects 100-continue, then it gets that only if the rest of the request is valid",
    () =>
      Effect.gen(function* () {
        const { adminKey, connection, head, port } = yield* started
        const text = JSON.stringify({ message: "Hi" })
        yield* connection.write(head(`Content-Length: ${text.length}`, "Expect: 100-continue"))
        assert.strictEqual((yield* connection.reply).status, 100)
        yield* connection.write(text)
        assert.strictEqual((yield* connection.reply).status, 202)

        const other = yield* openConnection(port)
        yield* other.write(head(`Content-Length: ${limit + 1}`, "Expect: 100-continue").replace(adminKey, adminKey))
        const refused = yield* other.reply
        assert.strictEqual(refused.status, 413)
        assert.strictEqual(refused.headers.connection, "close")
        yield* other.close
      })
  )

  it.effect("given an operation that takes none, then it is ignored", () =>
    Effect.gen(function* () {
      const { adminKey, connection } = yield* started
      yield* connection.write(
        `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Length: 5\r\n\r\n{{{{{`
      )
      assert.strictEqual((yield* connection.reply).status, 200)
      yield* connection.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`)
      assert.strictEqual((yield* connection.reply).status, 200)
    })
  )
})
