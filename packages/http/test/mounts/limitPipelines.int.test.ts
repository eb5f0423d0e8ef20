import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { limitPipelines } from "@petstore/http"
import * as Effect from "effect/Effect"
import express from "express"
import { statuses } from "../support/framings.ts"
import { adminKey, opened, sendingTo, worksAtPetstore } from "../support/mounts.ts"
import { openConnection } from "../support/RawConnection.ts"

const get = "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"
const last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/** Starts a server whose pipelines are limited, and returns its port. */
const limited = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      limitPipelines(server)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close().closeAllConnections())
  )

/** A server that responds with what it has received. */
const echo = () =>
  createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => response.end(JSON.stringify(Buffer.concat(chunks).toString("latin1"))))
  })

describe("given an app's server whose pipelines are limited", () => {
  const post = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
  // Those that stand in one slice with the end of a body, on each of three connections.
  for (const [kind, request, bound] of [
    ["", get, 4],
    [" with bodies", post, 64]
  ] as const) {
    it.effect(
      `when a stranger sends 1,000 requests${kind} at once, then few are parsed at a time, and others have their turns`,
      () =>
        Effect.gen(function* () {
          const { handler } = yield* opened()
          let [open, most, handled] = [0, 0, 0]
          const port = yield* limited(
            createServer((request, response) => {
              handled++
              most = Math.max(most, ++open)
              response.on("close", () => open--)
              handler.node(request, response)
            })
          )
          const strangers = yield* Effect.all(Array.from({ length: 3 }, () => openConnection(port)))
          for (const stranger of strangers) yield* stranger.write(request.repeat(1_000) + last)
          const other = yield* openConnection(port)
          yield* other.write(get.replace("\r\n\r\n", `\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`))
          assert.strictEqual((yield* other.reply).status, 200)
          assert.isBelow(handled, 2_000)
          for (const stranger of strangers) assert.lengthOf(statuses(yield* stranger.close), 1_001)
          assert.isAtMost(most, bound)
        })
    )
  }

  for (const [kind, request, status] of [
    ["an expectation that it does not know", get.replace("\r\n\r\n", "\r\nExpect: more\r\n\r\n"), 417],
    ["no Host", "GET /v1/pets HTTP/1.1\r\n\r\n", 400]
  ] as const) {
    it.effect(`when a stranger sends 1,000 requests with ${kind} at once, then few are parsed at a time`, () =>
      Effect.gen(function* () {
        let [open, most] = [0, 0]
        const count = (message: unknown): void => {
          most = Math.max(most, ++open)
          ;(message as { readonly response: ServerResponse }).response.on("close", () => open--)
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => subscribe("http.server.request.start", count)),
          () => Effect.sync(() => unsubscribe("http.server.request.start", count))
        )
        const port = yield* limited(createServer((_request, response) => response.end()))
        const stranger = yield* openConnection(port)
        yield* stranger.write(request.repeat(1_000) + last)
        const sent = statuses(yield* stranger.close)
        assert.strictEqual(sent[0], status)
        assert.lengthOf(sent, status === 400 ? 1 : 1_001)
        assert.isAtMost(most, 2)
      })
    )
  }

  it.effect("when bodies arrive in any parts with requests behind them, then each arrives as it was sent", () =>
    Effect.gen(function* () {
      const connection = yield* openConnection(yield* limited(echo()))
      const bodies = ["", "x", "\r\n\r\n".repeat(9_000), get.repeat(4_000), "y".repeat(200_000)]
      const sized = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const chunked = (body: string) =>
        `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`
      for (const size of [Number.POSITIVE_INFINITY, 10_000, 1_337]) {
        const sent = bodies.flatMap((body) => [sized(body), chunked(body)]).join("")
        for (let at = 0; at < sent.length; at += size) yield* connection.write(sent.slice(at, at + size))
        for (const body of bodies) {
          for (const _ of ["sized", "chunked"]) assert.strictEqual((yield* connection.reply).body, body)
        }
      }
    })
  )

  it.effect("when it responds before the body has arrived, then the rest is read, and the next request", () =>
    Effect.gen(function* () {
      const port = yield* limited(createServer((request, response) => response.end(String(request.url?.length))))
      const connection = yield* openConnection(port)
      yield* connection.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
      assert.strictEqual((yield* connection.reply).body, 1)
      yield* connection.write(`${"z".repeat(100_000)}${last}`)
      assert.strictEqual((yield* connection.reply).body, 5)
    })
  )

  it.effect("when a client closes its side behind many requests, then all have responses", () =>
    Effect.gen(function* () {
      const connection = yield* openConnection(yield* limited(echo()))
      yield* connection.write(get.repeat(500) + last)
      yield* connection.end
      assert.lengthOf(statuses(yield* connection.close), 501)
    })
  )

  for (const [event, head] of [
    ["upgrade", "GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"],
    ["connect", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"]
  ] as const) {
    it.effect(
      `when a connection has ${event === "connect" ? "a CONNECT" : "an upgrade"}, then all that follows belongs to the app`,
      () =>
        Effect.gen(function* () {
          const server = echo().on(event, (_request, socket, first) => {
            socket.write(first)
            socket.pipe(socket)
          })
          const connection = yield* openConnection(yield* limited(server))
          yield* connection.write(`${get}${head}${get.repeat(10)}`)
          yield* connection.reply
          yield* connection.write("more")
          yield* connection.end
          assert.strictEqual(yield* connection.close, `${get.repeat(10)}more`)
        })
    )
  }

  it.effect("when the app decides whether bodies are sent, then it does that for one request at a time", () =>
    Effect.gen(function* () {
      let [open, most] = [0, 0]
      const server = echo().on("checkContinue", (_request, response) => {
        most = Math.max(most, ++open)
        response.on("close", () => open--).writeContinue()
        response.end()
      })
      const connection = yield* openConnection(yield* limited(server))
      yield* connection.write("GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n".repeat(100) + last)
      assert.lengthOf(statuses(yield* connection.close), 101)
      assert.isAtMost(most, 2)
    })
  )

  it.effect("when Express mounts a petstore in it, then it works", () =>
    Effect.gen(function* () {
      const { handler } = yield* opened({ mountPath: "/petstore" })
      const port = yield* limited(createServer(express().use("/petstore", handler.node)))
      yield* worksAtPetstore(sendingTo(`http://127.0.0.1:${port}`))
    })
  )
})
