import { assert, describe, it } from "@effect/vitest"
import type { ErrorCode } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { populate } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"

const date = "[sunset: Thu, 05 Dec 2030 00:00:00 GMT]"
const links =
  '</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html", </v1/store/pets/1>; rel="successor-version"'

/** The headers of a response. An error also links to the page of its code. */
const shown = (code?: ErrorCode) =>
  `[deprecation: @1796428800] ${date} [link: ${links}${code === undefined ? "" : `, </docs/errors/${code}>; rel="help"`}]`

const lastMoment = "at 2030-12-04T23:59:59.999Z"

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
  transcript(
    "given any response, then its headers show the sunset date",
    `${lastMoment}
     GET /v1/pets/1 -> 200 ${shown()}
     HEAD /v1/pets/1 -> 200 ${shown()}
     GET /v1/pets/1 [if-none-match: *] -> 304 ${shown()}
     GET /v1/pets/1?x=1 -> 400 ${shown("validation_failed")}
     GET /v1/pets/1 [key: ] -> 401 ${shown("unauthenticated")}
     GET /v1/pets/1 [key: wrong] -> 401 ${shown("invalid_api_key")}
     GET /v1/pets/99 -> 404 ${date}`
  )

  transcript(
    "given other operations at its path, then they show no sunset date",
    `${lastMoment}
     PATCH /v1/pets/1 {} -> 200 [deprecation: ] [sunset: ] [link: ]
     PUT /v1/pets/1 {} -> 405 [deprecation: ] [sunset: ] [link: </docs/errors/method_not_allowed>; rel="help"]`
  )

  const ended = {
    code: "operation_sunset",
    status: 410,
    message: "This operation was removed on 2030-12-05. Use /v1/store/pets/1.",
    details: { sunset: "2030-12-05", successor: "/v1/store/pets/1" }
  }
  transcript(
    "given the sunset date, then it is rejected from the start of that day, and the error names the successor",
    `${lastMoment}
     GET /v1/pets/1 -> 200
     at 2030-12-05T00:00:00Z
     GET /v1/pets/1 -> 410 ${shown("operation_sunset")} ${JSON.stringify(ended)}
     HEAD /v1/pets/1 -> 410
     GET /v1/store/pets/1 -> 200
     PATCH /v1/pets/1 {} -> 200`
  )

  transcript(
    "given serveAfterSunset, then it works after its sunset date",
    `at 2030-12-05T00:00:00Z
     GET /v1/pets/1 -> 200 ${shown()}`,
    { serveAfterSunset: true }
  )

  it.effect("given uses by a key, then the log has a warning once an hour, with their number", () => {
    const { entries, layer } = logged()
    return Effect.gen(function* () {
      const server = yield* startServer()
      yield* populate(server)
      const { keyWith, send } = server
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
