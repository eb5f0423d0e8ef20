import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer } from "../../../test/support/TestServer.ts"

const files = {
  "/docs": "text/html; charset=utf-8",
  "/docs/petstore.css": "text/css; charset=utf-8",
  "/docs/petstore.js": "text/javascript; charset=utf-8",
  "/docs/swagger-ui.css": "text/css; charset=utf-8",
  "/docs/swagger-ui-bundle.js": "text/javascript; charset=utf-8"
}

describe("the files of the reference page", () => {
  it.effect("given no key, then each has its type and its security headers, and nothing else is there", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ mountPath: "/petstore", basePath: "/shop" })
      const plain = { "accept-encoding": "identity" }
      for (const [path, type] of Object.entries(files)) {
        const reply = yield* send("GET", path, { key: undefined, headers: plain })
        assert.strictEqual(reply.status, 200)
        const {
          "content-length": length,
          etag,
          ...headers
        } = Object.fromEntries(
          [...reply.headers].filter(([name]) => !["connection", "date", "keep-alive", "x-request-id"].includes(name))
        )
        assert.strictEqual(Number(length), Buffer.byteLength(reply.text))
        assert.deepStrictEqual(headers, {
          "cache-control": "no-cache",
          "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "content-type": type,
          "referrer-policy": "no-referrer",
          ...(reply.text.length < 2_048 ? {} : { vary: "Accept-Encoding" }),
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY"
        })
        const again = yield* send("GET", path, { key: undefined, headers: { ...plain, "if-none-match": etag ?? "" } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
        const refused = yield* send("POST", path, { key: undefined })
        assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
      }
      for (const path of ["/docs/", "/docs/index.html", "/docs/..%2Fpackage.json", "/docs/swagger-ui.css.map"]) {
        assert.strictEqual((yield* send("GET", path, { key: undefined })).status, 404, path)
      }
    })
  )
})
