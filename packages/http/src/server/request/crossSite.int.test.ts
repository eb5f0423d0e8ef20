import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { createHandler, type HandlerOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import { listening } from "../../../test/support/listening.ts"
import { sendTo } from "../../../test/support/TestServer.ts"

type Headers = Readonly<Record<string, string>>

const shop = "https://shop.example"
const cookie = { cookie: "session=7" }
const from = (site: string, origin?: string): Headers => ({
  "sec-fetch-site": site,
  ...(origin === undefined ? {} : { origin })
})

/** A petstore with one webhook, and a function that sends a POST without a body to it. */
const opened = (options: HandlerOptions) =>
  Effect.gen(function* () {
    const petstore = yield* Effect.acquireRelease(
      Effect.promise(() => createPetstore()),
      (made) => Effect.promise(() => made.close())
    )
    const { id } = yield* Effect.promise(() => petstore.webhooks.create({ url: "https://hooks.example/petstore" }))
    const handler = createHandler(petstore, {
      authenticate: () => ({ actor: "user:7", scopes: ["webhooks:read", "webhooks:write"] }),
      ...options
    })
    const path = `/v1/webhooks/${id}/test`
    // An empty cookie is none.
    const send = ({ cookie = "session=7", ...headers }: Headers, method = "POST") =>
      Effect.promise(async () => {
        const request = new Request(`https://api.shop.example${method === "POST" ? path : "/v1/webhooks"}`, {
          method,
          headers: cookie === "" ? headers : { cookie, ...headers }
        })
        return (await handler.fetch(request)).status
      })
    return { handler, petstore, path, send }
  })

describe("a change that a web page sends", () => {
  const cors = { origins: [shop], credentials: true }
  const pages: ReadonlyArray<
    readonly [given: string, HandlerOptions, rejected: ReadonlyArray<Headers>, accepted: ReadonlyArray<Headers>]
  > = [
    [
      "no CORS, then it takes effect if it is from a page of the server, the user or no browser",
      {},
      [
        from("cross-site", "https://evil.example"),
        from("same-site", "https://evil.shop.example"),
        from("cross-site", "null"),
        from("cross-site"),
        from(""),
        from("same-origin, cross-site")
      ],
      [from("same-origin", "https://api.shop.example"), from("none"), {}]
    ],
    [
      "a browser that does not say which site a page is of, then its origin shows it",
      { cors },
      [
        { origin: "http://evil.example" },
        { origin: "http://api.shop.example.evil.example", "x-forwarded-host": "api.shop.example" },
        { origin: "http://api.shop.example:8080" },
        { origin: "http://api.shop.example, http://evil.example" },
        { origin: "http://evil.example", authorization: "Basic dTpw" },
        { origin: "null" },
        { origin: "" }
      ],
      [
        { origin: "http://api.shop.example" },
        { origin: "https://api.shop.example" },
        { origin: shop },
        { origin: "http://www.shop.example", "x-forwarded-host": "www.shop.example:80, inner" },
        { origin: "capacitor://localhost", authorization: "Bearer of-the-app" }
      ]
    ],
    [
      "origins in CORS, then their pages may send it, and no others",
      { cors },
      [from("cross-site", "https://evil.example"), from("cross-site")],
      [from("same-site", shop), from("cross-site", shop)]
    ],
    [
      "CORS for all origins, then their pages may send it, but not with cookies",
      { cors: { origins: "*" } },
      [from("cross-site", shop)],
      [{ ...from("cross-site", shop), cookie: "" }]
    ]
  ]
  for (const [given, options, rejected, accepted] of pages) {
    it.effect(`given ${given}`, () =>
      Effect.gen(function* () {
        const { petstore, send } = yield* opened(options)
        const position = yield* Effect.promise(() => petstore.events.latest())
        for (const headers of rejected) assert.strictEqual(yield* send(headers), 403, JSON.stringify(headers))
        assert.strictEqual(yield* Effect.promise(() => petstore.events.latest()), position)
        for (const headers of accepted) assert.isBelow(yield* send(headers), 300, JSON.stringify(headers))
      })
    )
  }

  it.effect("given node:http, then the origin of the server is that of its Host header, with its port", () =>
    Effect.gen(function* () {
      const { handler, path } = yield* opened({})
      const url = yield* listening(handler.node)
      const { port } = new URL(url)
      const send = (origin: string) => sendTo(url + path, "POST", { headers: { ...cookie, origin } })
      assert.isBelow((yield* send(`http://127.0.0.1:${port}`)).status, 300)
      for (const origin of ["http://127.0.0.1", `http://localhost:${port}`, "null"]) {
        assert.deepInclude((yield* send(origin)).body, { code: "cross_site_request" }, origin)
      }
    })
  )

  it.effect("given no CORS, when a page of another origin reads, then that is for the browser to decide", () =>
    Effect.gen(function* () {
      const { send } = yield* opened({})
      assert.strictEqual(yield* send(from("cross-site", "https://evil.example"), "GET"), 200)
    })
  )

  it.effect("given CORS middleware of the app, then the origin that it allows may send it, unless that is null", () =>
    Effect.gen(function* () {
      const { handler, path } = yield* opened({})
      const url = yield* listening((request, response) => {
        response.setHeader("Access-Control-Allow-Origin", request.headers.origin === "null" ? "null" : shop)
        handler.node(request, response)
      })
      const send = (origin: string) =>
        sendTo(url + path, "POST", { headers: { ...cookie, ...from("cross-site", origin) } })
      assert.isBelow((yield* send(shop)).status, 300)
      for (const origin of ["https://evil.example", "null"]) {
        assert.deepInclude((yield* send(origin)).body, { code: "cross_site_request", status: 403 })
      }
    })
  )
})
