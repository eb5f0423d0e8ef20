import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import type { Scope } from "@petstore/core/domain"
import { createHandler } from "@petstore/http"

/** A server with a pet and an order of a user, which sends requests with some scopes. */
const shop = async () => {
  const petstore = await createPetstore()
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  await petstore.pets.create({ name: "Rex", categoryId })
  await petstore.as({ user: "ada" }).orders.place({ petId: 1 })
  let scopes: ReadonlyArray<Scope> = []
  const handler = createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes }) })
  const get = (path: string, held: ReadonlyArray<Scope>, headers: Readonly<Record<string, string>> = {}) => {
    scopes = held
    return handler.fetch(new Request(`http://pets.example/v1${path}`, { headers }))
  }
  const bodyOf = async (path: string, scopes: ReadonlyArray<Scope>) => (await get(path, scopes)).json()
  const close = async () => {
    await handler.close()
    await petstore.close()
  }
  return { petstore, get, bodyOf, close }
}

describe("records in resources over REST", () => {
  it("given no include, then each body is the specified one, byte for byte", async () => {
    const { close, get, petstore } = await shop()
    await petstore.records.update("pets", 1, { externalId: "A/1" })
    const bodies = {
      "/pets": '[{"id":1,"name":"Rex","categoryId":1,"status":"pending"}]',
      "/store/pets/1":
        '{"id":1,"name":"Rex","categoryId":1,"status":"pending","inventory":{"petId":1,"quantity":1,"status":"pending","reserved":1,"available":0}}',
      "/categories": '[{"id":1,"name":"Dogs"}]',
      "/categories/1": '{"id":1,"name":"Dogs"}',
      "/store/orders": '[{"id":1,"petId":1,"quantity":1,"complete":false}]',
      "/store/orders/1": '{"id":1,"petId":1,"quantity":1,"complete":false}'
    }
    for (const [path, body] of Object.entries(bodies)) {
      assert.strictEqual(await (await get(path, ["pets:read", "inventory:read", "orders:read"])).text(), body, path)
    }
    await close()
  })

  it("given a caller without orders:owners, then orders have records without owners", async () => {
    const { bodyOf, close } = await shop()
    const owner = { accountId: 0, user: "ada" }
    for (const scopes of [["orders:read", "orders:owners"], ["admin"]] as const) {
      assert.deepStrictEqual((await bodyOf("/store/orders/1?include=record", scopes)).record.owner, owner)
      assert.deepStrictEqual((await bodyOf("/store/orders?include=record", scopes))[0].record.owner, owner)
    }
    for (const path of ["/store/orders/1", "/store/orders"]) {
      const [order] = [await bodyOf(`${path}?include=record`, ["orders:read"])].flat()
      assert.deepStrictEqual([order.record.state, order.record.owner], ["open", undefined])
    }
    await close()
  })

  it("given the entity tag of a resource, then a read of it with its record is whole, and another one is not", async () => {
    const { close, get, petstore } = await shop()
    const tag = (await get("/categories/1?include=record", ["pets:read"])).headers.get("etag") ?? ""
    assert.strictEqual(tag, (await get("/categories/1", ["pets:read"])).headers.get("etag"))
    await petstore.records.update("categories", 1, { externalId: "A/1" })
    const condition = { "if-none-match": tag }
    assert.strictEqual((await get("/categories/1", ["pets:read"], condition)).status, 304)
    const whole = await get("/categories/1?include=record", ["pets:read"], condition)
    assert.strictEqual((await whole.json()).record.externalId, "A/1")
    await close()
  })
})
