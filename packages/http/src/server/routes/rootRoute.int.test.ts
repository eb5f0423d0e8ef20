import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

const isEmpty = true

describe("the first page", () => {
  it.effect(
    "given a program or a browser, then it is JSON or a page with links to everything, and no link is broken",
    () =>
      Effect.gen(function* () {
        const { send } = yield* startServer()
        for (const path of ["/", "/v1"]) {
          const reply = yield* send("GET", path, { key: undefined })
          assert.strictEqual(reply.status, 200)
          assert.strictEqual(reply.headers.get("content-type"), "application/json")
          assert.deepStrictEqual(reply.body, {
            name: "Petstore",
            version: "1.0.0",
            api: "/v1",
            docs: "/docs",
            openapi: "/openapi.json",
            health: { live: "/health/live", ready: "/health/ready" }
          })
          assert.strictEqual(
            reply.headers.get("link"),
            '</openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html", </health/ready>; rel="status"; type="application/json"'
          )
          const page = yield* send("GET", path, { key: undefined, headers: { accept: browser } })
          assert.strictEqual(page.status, 200)
          assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
          assert.strictEqual(page.headers.get("vary"), "Accept")
          assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; /)
          const links = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, href = ""]) => href)
          assert.deepStrictEqual(links, ["/docs", "/docs/errors", "/openapi.yaml", "/openapi.json", "/health/ready"])
          for (const link of [...links, "/health/live"]) {
            assert.strictEqual((yield* send("GET", link, { key: undefined })).status, 200, link)
          }
        }
      })
  )

  const json = "application/json"
  const html = "text/html; charset=utf-8"
  const accepted = [
    ["*/*", json],
    ["application/json", json],
    ["image/png", json],
    ["text/html", html],
    ["text/*", html],
    ["text/html;q=0, */*", json],
    ["text/html;q=0.5, application/json", json],
    ["text/html, application/json;q=0.5", html]
  ]
  transcript(
    "given what clients accept, when they ask, then HTML is for those that like it at least as well as JSON",
    accepted
      .map(
        ([accept, type]) =>
          `GET / [key: ] [accept: ${accept}] -> 200 [content-type: ${type}] [etag -> tag]
           GET / [key: ] [accept: ${accept}] [if-none-match: {tag}] -> 304 [vary: Accept]`
      )
      .join("\n"),
    { isEmpty }
  )

  for (const [mountPath, basePath, paths] of [
    ["/petstore", "/v1", ["/petstore", "/petstore/", "/petstore/v1", "/", "/v1"]],
    ["", "", ["/"]],
    ["", "/shop/v1", ["/", "/shop/v1"]],
    ["/petstore", "", ["/petstore", "/petstore/", "/"]]
  ] as const) {
    transcript(
      `given a server at "${mountPath}" with the API at "${basePath}", when its first addresses are asked for, then all names are whole`,
      `${paths
        .map(
          (path) =>
            `GET ${path} [key: ] -> 200 {"api":"${mountPath + basePath || "/"}","docs":"${mountPath}/docs"}
             GET ${path} [key: ] [accept: ${browser}] -> 200 ~href="${mountPath}/docs"`
        )
        .join("\n")}
       POST ${paths[0]} [key: ] -> 405 [allow: GET, HEAD, OPTIONS]`,
      { isEmpty, mountPath, basePath }
    )
  }
})
