import { assert, describe, it } from "@effect/vitest"
import type { HandlerOptions, HostPrincipal } from "@petstore/http"
import * as Effect from "effect/Effect"
import { statuses } from "../support/framings.ts"
import { listening } from "../support/listening.ts"
import { adminKey, opened } from "../support/mounts.ts"
import { openConnection } from "../support/RawConnection.ts"

/** An app that mounts a petstore, and a connection to it; how many requests it has handled. */
const connected = (options: HandlerOptions = {}) =>
  Effect.gen(function* () {
    let handled = 0
    const { handler } = yield* opened({ ...options, accessLog: () => void handled++ })
    const { port } = new URL(yield* listening(handler.node))
    return { port: Number(port), connection: yield* openConnection(Number(port)), handled: () => handled }
  })

const requests = (path: string, count: number, headers = ""): string =>
  `${`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`.repeat(count - 1)}GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`

const keyed = `Authorization: Bearer ${adminKey}\r\n`

/** Sessions are looked up later, when all requests that have arrived together are waiting. */
const sessions: HandlerOptions = {
  authenticate: ({ headers }) =>
    new Promise<HostPrincipal | undefined>((resolve) => {
      const isSignedIn = "authorization" in headers
      setImmediate(() => resolve(isSignedIn ? { actor: "user:1", scopes: ["admin"] } : undefined))
    })
}

describe("given an app that mounts a petstore, and clients that send requests without waiting for responses", () => {
  for (const [name, path, options] of [
    ["an operation", "/v1/pets", {}],
    ["an operation, with sessions", "/v1/pets", sessions],
    ["a page", "/docs", {}],
    ["a health check", "/health/live", {}],
    ["nothing", "/nothing", {}]
  ] as const) {
    it.effect(
      `when a stranger sends 3,000 to ${name}, then few are handled, the connection closes, and others go on`,
      () =>
        Effect.gen(function* () {
          const { connection, handled, port } = yield* connected(options)
          yield* connection.write(requests(path, 3_000))
          assert.isBelow(statuses(yield* connection.close).length, 70)
          assert.isBelow(handled(), 70)
          const other = yield* openConnection(port)
          yield* other.write(requests("/v1/pets", 1, keyed))
          assert.deepStrictEqual(statuses(yield* other.close), [200])
        })
    )
  }

  it.effect("when a stranger sends 50, then all have responses", () =>
    Effect.gen(function* () {
      const { connection } = yield* connected()
      yield* connection.write(requests("/v1/pets", 50))
      assert.deepStrictEqual(statuses(yield* connection.close), Array<number>(50).fill(401))
    })
  )

  it.effect("when a stranger sends 50 again and again, then all have responses", () =>
    Effect.gen(function* () {
      const { connection, handled } = yield* connected()
      for (let round = 1; round <= 5; round++) {
        yield* connection.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50))
        for (let one = 0; one < 50; one++) assert.strictEqual((yield* connection.reply).status, 200)
        assert.strictEqual(handled(), 0, "health checks are not logged")
      }
    })
  )

  it.effect("when one with a valid key sends 1,000, then all have responses", () =>
    Effect.gen(function* () {
      const { connection } = yield* connected()
      yield* connection.write(requests("/v1/pets", 1_000, keyed))
      assert.deepStrictEqual(statuses(yield* connection.close), Array<number>(1_000).fill(200))
    })
  )
})
