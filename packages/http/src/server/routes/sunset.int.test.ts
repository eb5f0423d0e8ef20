import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { populate } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"

const sunset = Date.parse("2030-12-05T00:00:00Z")

const expected = {
  deprecation: "@1796428800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: [
    '</docs>; rel="deprecation"; type="text/html"',
    '</docs>; rel="sunset"; type="text/html"',
    '</v1/store/pets/1>; rel="successor-version"'
  ].join(", ")
}

const sunsetHeaders = (headers: Headers) => ({
  deprecation: headers.get("deprecation"),
  sunset: headers.get("sunset"),
  link: headers.get("link")
})

/** The same for an error, which also links to the page of its code. */
const expectedOf = (code: string) => ({ ...expected, link: `${expected.link}, </docs/errors/${code}>; rel="help"` })

const at = (millis: number, options = {}) =>
  Effect.gen(function* () {
    const server = yield* startServer(options)
    yield* populate(server)
    yield* TestClock.setTime(millis)
    return server
  })

/** What is logged, as one text for each entry. */
const logged = () => {
  const entries: Array<string> = []
  const layer = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      entries.push(`${logLevel} ${message}`)
    })
  ])
  return { entries, layer }
}

describe("a deprecated operation", () => {
  it.effect("given any response, then its headers show the sunset date", () =>
    Effect.gen(function* () {
      const { send } = yield* at(sunset - 1)
      const replies = [
        yield* send("GET", "/v1/pets/1"),
        yield* send("HEAD", "/v1/pets/1"),
        yield* send("GET", "/v1/pets/1", { headers: { "if-none-match": "*" } }),
        yield* send("GET", "/v1/pets/1?x=1"),
        yield* send("GET", "/v1/pets/1", { key: undefined }),
        yield* send("GET", "/v1/pets/1", { key: "wrong" })
      ]
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [200, 200, 304, 400, 401, 401]
      )
      for (const { headers } of replies.slice(0, 3)) assert.deepStrictEqual(sunsetHeaders(headers), expected)
      for (const [index, code] of ["validation_failed", "unauthenticated", "invalid_api_key"].entries()) {
        assert.deepStrictEqual(sunsetHeaders(replies[index + 3]?.headers ?? new Headers()), expectedOf(code))
      }
      const missing = yield* send("GET", "/v1/pets/99")
      assert.strictEqual(missing.status, 404)
      assert.strictEqual(missing.headers.get("sunset"), expected.sunset)
    })
  )

  it.effect("given other operations at its path, then they show no sunset date", () =>
    Effect.gen(function* () {
      const { send } = yield* at(sunset - 1)
      for (const [method, link] of [
        ["PATCH", null],
        ["PUT", '</docs/errors/method_not_allowed>; rel="help"']
      ] as const) {
        const reply = yield* send(method, "/v1/pets/1", { body: {} })
        assert.deepStrictEqual(sunsetHeaders(reply.headers), { deprecation: null, sunset: null, link })
      }
    })
  )

  it.effect(
    "given the sunset date, then it is rejected from the start of that day, and the error names the successor",
    () =>
      Effect.gen(function* () {
        const { send } = yield* at(sunset - 1)
        assert.strictEqual((yield* send("GET", "/v1/pets/1")).status, 200)
        yield* TestClock.setTime(sunset)
        const ended = yield* send("GET", "/v1/pets/1")
        assert.strictEqual(ended.status, 410)
        assert.deepInclude(ended.body, {
          code: "operation_sunset",
          status: 410,
          message: "This operation was removed on 2030-12-05. Use /v1/store/pets/1.",
          details: { sunset: "2030-12-05", successor: "/v1/store/pets/1" }
        })
        assert.deepStrictEqual(sunsetHeaders(ended.headers), expectedOf("operation_sunset"))
        assert.strictEqual((yield* send("HEAD", "/v1/pets/1")).status, 410)
        assert.strictEqual((yield* send("GET", "/v1/store/pets/1")).status, 200)
        assert.strictEqual((yield* send("PATCH", "/v1/pets/1", { body: {} })).status, 200)
      })
  )

  it.effect("given serveAfterSunset, then it works after its sunset date", () =>
    Effect.gen(function* () {
      const { send } = yield* at(sunset, { serveAfterSunset: true })
      const reply = yield* send("GET", "/v1/pets/1")
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(sunsetHeaders(reply.headers), expected)
    })
  )

  it.effect("given uses by a key, then the log has a warning once an hour, with their number", () => {
    const { entries, layer } = logged()
    return Effect.gen(function* () {
      const { keyWith, send } = yield* at(0)
      const key = yield* keyWith(["pets:read"])
      const use = send("GET", "/v1/pets/1", { key })
      const warnings = () => entries.splice(0).filter((entry) => entry.includes("/v1/pets/{petId}"))
      for (let n = 0; n < 4; n++) yield* use
      yield* send("GET", "/v1/pets/1", { key: "wrong" })
      const [first, ...more] = warnings()
      assert.match(
        first ?? "",
        /^Warn API key \d+ uses GET \/v1\/pets\/\{petId\}\. It ends on 2030-12-05; use \/v1\/store\/pets\/\{petId\} instead\.$/
      )
      assert.deepStrictEqual(more, [])
      yield* TestClock.adjust("1 hour")
      yield* use
      assert.match(warnings().join(), /, 3 times more since the last warning\./)
      yield* send("GET", "/v1/pets/1")
      assert.match(warnings().join(), /^Warn The admin key of the server's settings uses GET/)
    }).pipe(Effect.provide(layer))
  })
})
