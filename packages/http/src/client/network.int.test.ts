import type { RequestListener } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { type ClientOptions, ConnectionLost, createClient, UnexpectedResponse } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import { httpReceiver } from "../../test/support/receivers.ts"

/** The URL of a server with this listener, until the scope closes. */
const serving = (listener: RequestListener) =>
  Effect.map(httpReceiver(listener), ({ port }) => `http://127.0.0.1:${port}/v1`)

/** A port without a listener, which no test is given. */
const vacantPort = 2

const renaming = (options: Partial<ClientOptions> & { readonly baseUrl: string }) =>
  Effect.promise(async () => {
    let requests = 0
    const key = () => {
      requests++
      return "psk_1"
    }
    const petstore = createClient({ key, retries: 2, maxDelay: 1, ...options })
    const error: unknown = await petstore.pets.update(7, { name: "Rex" }).then(
      () => assert.fail("Expected a rejection"),
      (reason: unknown) => reason
    )
    return { error, requests }
  })

describe("given a real network", () => {
  it.effect("when no server listens, then nothing was done, and the call is retried", () =>
    Effect.gen(function* () {
      for (const host of ["127.0.0.1", "localhost"]) {
        const baseUrl = `http://${host}:${vacantPort}/v1`
        const { error, requests } = yield* renaming({ baseUrl })
        assert.instanceOf(error, ConnectionLost)
        assert.deepStrictEqual([error.details, requests], [{ address: baseUrl, mayBeDone: false }, 3])
        assert.include(error.message, `The petstore at ${baseUrl} could not be reached`)
      }
    })
  )

  it.effect(
    "when the server disconnects without a response, then an update is retried with one key, and may be done",
    () =>
      Effect.gen(function* () {
        const keys: Array<unknown> = []
        const baseUrl = yield* serving((request) => {
          keys.push(request.headers["idempotency-key"])
          request.socket.destroy()
        })
        const { error, requests } = yield* renaming({ baseUrl })
        assert.instanceOf(error, ConnectionLost)
        assert.deepStrictEqual([error.details, requests], [{ address: baseUrl, mayBeDone: true }, 3])
        assert.deepStrictEqual([new Set(keys).size, typeof keys[0]], [1, "string"])
      })
  )

  it.effect("when the server redirects elsewhere, then the other server receives neither the request nor the key", () =>
    Effect.gen(function* () {
      const visitors: Array<string> = []
      const elsewhere = yield* serving((request, response) => {
        visitors.push(String(request.headers.authorization))
        response.end()
      })
      for (const status of [301, 302, 307, 308]) {
        const baseUrl = yield* serving((_, response) => response.writeHead(status, { Location: elsewhere }).end())
        const { error, requests } = yield* renaming({ baseUrl })
        assert.instanceOf(error, UnexpectedResponse)
        assert.include(error.message, `status ${status} with a redirection to ${elsewhere}`)
        assert.strictEqual(requests, 1)
      }
      assert.deepStrictEqual(visitors, [])
    })
  )
})
