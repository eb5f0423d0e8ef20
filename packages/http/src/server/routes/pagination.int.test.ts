import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Reply, startServer, type TestServer } from "../../../test/support/TestServer.ts"

const next = ({ headers }: Reply): string | undefined => /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1]

type Items = ReadonlyArray<Readonly<Record<string, unknown>>>

/** All pages from a path on, by following the links. */
const walk = ({ send }: TestServer, path: string) =>
  Effect.gen(function* () {
    const pages: Array<Items> = []
    for (let at: string | undefined = path; at !== undefined; ) {
      const reply: Reply = yield* send("GET", at)
      assert.strictEqual(reply.status, 200, reply.text)
      pages.push(reply.body as Items)
      at = next(reply)
    }
    return pages
  })

const filled = (options = {}) =>
  Effect.tap(startServer(options), ({ send }) =>
    Effect.gen(function* () {
      for (const name of ["Cats", "Dogs", "Fish"]) yield* send("POST", "/v1/categories", { body: { name } })
      for (let n = 1; n <= 25; n++) {
        yield* send("POST", "/v1/pets", {
          body: { name: `${n % 2 ? "Tom & Co" : "Rex"} ${n}`, categoryId: (n % 3) + 1 }
        })
      }
    })
  )

describe("a list", () => {
  it.effect("given the links of its pages, then they lead through each item once, in order", () =>
    Effect.gen(function* () {
      const server = yield* filled()
      const all = Array.from({ length: 25 }, (_, index) => index + 1)
      for (const limit of [1, 5, 7, 24, 25, 100]) {
        const pages = yield* walk(server, `/v1/pets?limit=${limit}`)
        assert.deepStrictEqual(
          pages.flat().map(({ id }) => id),
          all
        )
        assert.strictEqual(pages.length, Math.ceil(25 / limit))
      }
      assert.deepStrictEqual(
        (yield* walk(server, "/v1/pets")).map(({ length }) => length),
        [20, 5]
      )
    })
  )

  it.effect("given filters, then the link to the next page contains them", () =>
    Effect.gen(function* () {
      const server = yield* filled()
      const pages = yield* walk(server, "/v1/pets?name=Tom%20%26+Co&limit=4&status=available")
      assert.strictEqual(pages.length, 4)
      for (const { name } of pages.flat()) assert.match(String(name), /^Tom & Co/)
      assert.strictEqual(pages.flat().length, 13)
      const named = yield* walk(server, "/v1/pets?id=20&id=3&id=11&limit=2")
      assert.deepStrictEqual(
        named.map((page) => page.map(({ id }) => id)),
        [[3, 11], [20]]
      )
      const whole = yield* walk(
        server,
        `/v1/pets?${Array.from({ length: 25 }, (_, index) => `id=${index + 1}`).join("&")}`
      )
      assert.strictEqual(whole.length, 1)
    })
  )

  it.effect("given a cursor of other filters or another list, then it is rejected", () =>
    Effect.gen(function* () {
      const server = yield* filled()
      const first = yield* server.send("GET", "/v1/pets?limit=5&categoryId=1")
      const cursor = new URL(`http://x${next(first)}`).searchParams.get("cursor")
      for (const path of [
        "/v1/pets?limit=5",
        "/v1/pets?limit=5&categoryId=2",
        "/v1/inventory?limit=5",
        "/v1/categories?"
      ]) {
        const reply = yield* server.send("GET", `${path}&cursor=${cursor}`)
        assert.deepInclude(reply.body, { code: "invalid_cursor", status: 400 }, path)
      }
      assert.strictEqual((yield* server.send("GET", `/v1/pets?categoryId=1&cursor=${cursor}&limit=9`)).status, 200)
    })
  )

  it.effect("given a base path and a mount path, then the link to the next page contains both", () =>
    Effect.gen(function* () {
      const { send } = yield* filled({ basePath: "/v1", mountPath: "/shop/petstore" })
      assert.match(
        next(yield* send("GET", "/v1/pets?limit=5")) ?? "",
        /^\/shop\/petstore\/v1\/pets\?cursor=[\w-]+&limit=5$/
      )
      yield* send("PATCH", "/v1/inventory/1", { body: { quantity: 5 } })
      const movements = yield* send("GET", "/v1/inventory/1/movements?limit=1")
      assert.match(next(movements) ?? "", /^\/shop\/petstore\/v1\/inventory\/1\/movements\?cursor=[\w-]+&limit=1$/)
      const encoded = yield* send("GET", "/v1/%69nventory/%31/movements?limit=1")
      assert.strictEqual(next(encoded), next(movements))
      const made = yield* send("POST", "/v1/categories", { body: { name: "Birds" } })
      assert.strictEqual(made.headers.get("location"), "/shop/petstore/v1/categories/4")
      const deprecated = yield* send("GET", "/v1/pets/1")
      assert.include(deprecated.headers.get("link"), '</shop/petstore/docs>; rel="deprecation"')
      assert.include(deprecated.headers.get("link"), '</shop/petstore/v1/store/pets/1>; rel="successor-version"')
    })
  )

  it.effect("given another base path or none, then the list is there", () =>
    Effect.gen(function* () {
      for (const basePath of ["", "/api/petstore/v1"]) {
        const { send } = yield* startServer({ basePath })
        const made = yield* send("POST", `${basePath}/categories`, { body: { name: "Cats" } })
        assert.strictEqual(made.headers.get("location"), `${basePath}/categories/1`)
        assert.strictEqual((yield* send("GET", "/health/live")).status, 200)
      }
    })
  )
})
