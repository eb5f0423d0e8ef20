import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Reply, startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"

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

const filled = Effect.suspend(() =>
  Effect.tap(startServer(), ({ send }) =>
    Effect.gen(function* () {
      for (const name of ["Cats", "Dogs", "Fish"]) yield* send("POST", "/v1/categories", { body: { name } })
      for (let n = 1; n <= 25; n++) {
        yield* send("POST", "/v1/pets", {
          body: { name: `${n % 2 ? "Tom & Co" : "Rex"} ${n}`, categoryId: (n % 3) + 1 }
        })
      }
    })
  )
)

describe("a list", () => {
  it.effect("given the links of its pages, then they lead through each item once, in order", () =>
    Effect.gen(function* () {
      const server = yield* filled
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
      const server = yield* filled
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
      const server = yield* filled
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

  transcript(
    "given a base path and a mount path, then the link to the next page contains both",
    `GET /v1/pets?limit=2 -> 200 [link~</shop/petstore/v1/pets?cursor=]
     PATCH /v1/inventory/1 {"quantity":5} -> 200
     GET /v1/inventory/1/movements?limit=1 -> 200 [link~</shop/petstore/v1/inventory/1/movements?cursor=] [link -> next]
     GET /v1/%69nventory/%31/movements?limit=1 -> 200 [link: <{next}>; rel="next"]
     GET {next} -> 200
     POST /v1/categories {"name":"Birds"} -> 201 [location: /shop/petstore/v1/categories/3]
     GET /v1/pets/1 -> 200 [link~</shop/petstore/docs>; rel="deprecation"] [link~</shop/petstore/v1/store/pets/1>; rel="successor-version"]`,
    { basePath: "/v1", mountPath: "/shop/petstore" }
  )

  for (const basePath of ["", "/api/petstore/v1"]) {
    transcript(
      `given the base path "${basePath}", then the list is there`,
      `POST ${basePath}/categories {"name":"Cats"} -> 201 [location: ${basePath}/categories/1]
       GET ${basePath}/categories -> 200 ids 1
       GET /health/live -> 200`,
      { basePath, isEmpty: true }
    )
  }
})
