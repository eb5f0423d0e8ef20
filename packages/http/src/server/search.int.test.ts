import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type PetstoreOptions } from "@petstore/core"
import { createHandler } from "@petstore/http"

const shop = async (search: PetstoreOptions["search"]) => {
  const petstore = await createPetstore({ search })
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  await petstore.pets.createAll(["Café-Crème the Cat", "Rex", "Cat 2"].map((name) => ({ name, categoryId })))
  const handler = createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes: ["pets:read"] }) })
  const get = async (query: string) => {
    const response = await handler.fetch(new Request(`http://pets.example/v1/pets?${query}`))
    return { status: response.status, link: response.headers.get("link"), body: await response.json() }
  }
  const close = async () => {
    await handler.close()
    await petstore.close()
  }
  return { get, close }
}

describe("searches over REST", () => {
  it("given the option, then a search finds words, on pages with the search in their links", async () => {
    const { close, get } = await shop("words")
    const first = await get("search=CAT&limit=1")
    assert.deepStrictEqual(first.body, [{ id: 1, name: "Café-Crème the Cat", categoryId: 1, status: "available" }])
    assert.include(first.link, "search=CAT")
    assert.deepStrictEqual((await get("search=creme+caf")).body.length, 1)
    const { body, status } = await get("search=%26!")
    assert.strictEqual(status, 400)
    assert.include(JSON.stringify(body), "Expected at least one letter or digit")
    await close()
  })

  it("given no option, then the error names it, and the prefix of a name is found as before", async () => {
    const { close, get } = await shop(undefined)
    const { body, status } = await get("search=cat")
    assert.strictEqual(status, 400)
    assert.include(JSON.stringify(body), "petstore serve --search words")
    assert.strictEqual((await get("name=Cat")).body.length, 1)
    await close()
  })
})
