import { assert, describe, it } from "@effect/vitest"
import { catalogue, type ErrorCode } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { startServer } from "../../../test/support/TestServer.ts"
import { errorDocs } from "../../api/errorDocs.ts"

const codes = Object.values(catalogue).map(({ code }) => code)

describe("the pages about errors", () => {
  it.effect("given a server, when the list is requested without a key, then it links to a page for each code", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      const list = yield* send("GET", "/docs/errors", { key: undefined })
      assert.strictEqual(list.headers.get("content-type"), "text/html; charset=utf-8")
      const links = [...list.text.matchAll(/href="(\/docs\/errors\/(\w+))"/g)]
      assert.deepStrictEqual(
        links.map(([, , code]) => code),
        codes
      )
      for (const [, path = "", code = ""] of links) {
        const page = yield* send("GET", path, { key: undefined })
        assert.strictEqual(page.status, 200, path)
        assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; /)
        for (const part of [`<h1>${code}</h1>`, "What happened", "What to do", "What causes it"]) {
          assert.include(page.text, part, path)
        }
      }
    })
  )

  it.effect("given a code that no error has, when its page is requested, then it is not found", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer()
      const reply = yield* send("GET", "/docs/errors/%3Cscript%3E", { key: undefined })
      assert.strictEqual(reply.status, 404)
      assert.include(reply.text, "/docs/errors lists the codes")
    })
  )

  for (const code of codes) {
    const { cause } = errorDocs[code]
    if (typeof cause === "string") continue
    it.effect(
      `given the requests on the page of ${code}, when they are sent, then the last one alone fails, with it`,
      () =>
        Effect.gen(function* () {
          const { adminKey, send } = yield* startServer()
          const found: Array<string> = []
          let help: string | null = null
          for (const { body, headers = {}, isAnonymous, method, path } of cause) {
            const reply = yield* send(method, `/v1${path}`, {
              key: isAnonymous === true ? undefined : adminKey,
              headers,
              ...(body === undefined ? {} : { body })
            })
            if (reply.status >= 400) found.push((reply.body as { readonly code: ErrorCode }).code)
            help = reply.headers.get("link")
          }
          assert.deepStrictEqual(found, [code])
          assert.include(help ?? "", `</docs/errors/${code}>; rel="help"`)
        })
    )
  }

  it.effect("given a mount path, when a request fails, then the link leads to the page there", () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ mountPath: "/petstore" })
      const reply = yield* send("GET", "/petstore/v1/store/pets/99")
      assert.strictEqual(reply.headers.get("link"), '</petstore/docs/errors/not_found>; rel="help"')
      const page = yield* send("GET", "/petstore/docs/errors/not_found", { key: undefined })
      assert.include(page.text, "https://&lt;HOST&gt;/petstore/v1/store/pets/99")
      assert.include(page.text, 'href="/petstore/docs/errors"')
      const ok = yield* send("GET", "/petstore/v1/events/latest")
      assert.isNull(ok.headers.get("link"))
    })
  )
})
