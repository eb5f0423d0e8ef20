import { assert, describe, it } from "@effect/vitest"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { testPetstore } from "@petstore/testing"

/** A server and a client of it, with three pets, of which the second changed last. */
const shop = async () => {
  const petstore = await testPetstore({ indexes: ["pets.createdAt", "pets.updatedAt", "pets.metadata.chip"] })
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  await petstore.pets.createAll(["Rex", "Max", "Ben"].map((name) => ({ name, categoryId })))
  await petstore.clock.advance("1 minute")
  await petstore.records.update("pets", 2, { metadata: { chip: "a=b & c" } })
  const handler = createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes: ["pets:read"] }) })
  const get = async (path: string) => {
    const response = await handler.fetch(new Request(`http://pets.example/v1${path}`))
    return {
      body: await response.json(),
      link: response.headers.get("link"),
      total: response.headers.get("total-count")
    }
  }
  const close = async () => {
    await handler.close()
    await petstore.close()
  }
  return { close, get, handler, petstore }
}

const idsOf = (body: ReadonlyArray<{ readonly id: number }>) => body.map(({ id }) => id)

describe("lists by times and metadata over REST", () => {
  it("given their indexes, then lists are sorted and filtered by times, in pages that are linked", async () => {
    const { close, get, petstore } = await shop()
    const { updatedAt } = await petstore.records.get("pets", 2)
    assert.deepStrictEqual(idsOf((await get("/pets?sort=-updatedAt")).body), [2, 3, 1])
    assert.deepStrictEqual(idsOf((await get(`/pets?updatedAfter=${updatedAt}`)).body), [])
    const first = await get("/pets?createdAfter=2020-01-01T00:00:00%2B02:00&limit=2&count=true")
    assert.deepStrictEqual([idsOf(first.body), first.total], [[1, 2], "3"])
    const next = /<[^>]*\/v1(\/pets[^>]*)>; rel="next"/.exec(first.link ?? "")?.[1] ?? ""
    assert.deepStrictEqual(idsOf((await get(next)).body), [3])
    await close()
  })

  it("given a key and a value of metadata, then the value may have any characters", async () => {
    const { close, get } = await shop()
    const { body } = await get(`/pets?metadata=${encodeURIComponent("chip=a=b & c")}&include=record`)
    assert.deepStrictEqual([idsOf(body), body[0].record.metadata], [[2], { chip: "a=b & c" }])
    for (const metadata of ["chip", "=x", "1=x", "chip="]) {
      const { body: error } = await get(`/pets?metadata=${encodeURIComponent(metadata)}`)
      assert.strictEqual(error.code, "validation_failed", metadata)
      assert.match(error.violations[0].path, /^\/query\/metadata/)
    }
    await close()
  })

  it("given a client, then its lists take the same filters, and fail with the same error", async () => {
    const { close, handler } = await shop()
    const client = createClient({
      baseUrl: "http://pets.example/v1",
      key: "psk_1_key",
      fetch: (input, init) => handler.fetch(new Request(input, init))
    })
    const metadata = { key: "chip", value: "a=b & c" }
    assert.deepStrictEqual(idsOf((await client.pets.list({ metadata })).items as never), [2])
    assert.deepStrictEqual(idsOf((await client.pets.list({ sort: "-createdAt", limit: 1 })).items as never), [3])
    const error = await client.categories.list({ sort: "createdAt" }).catch((thrown: unknown) => thrown)
    assert.deepInclude(error, { code: "not_indexed", status: 400 })
    assert.deepStrictEqual((error as { readonly details?: unknown }).details, { name: "categories.createdAt" })
    await close()
  })
})
