import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { randomOf } from "../../packages/adapters/test/support/random.ts"
import type { AppServer } from "./AppServer.ts"
import { checkOrders, checkStock } from "./checks.ts"
import { findPrograms } from "./debianPrograms.ts"
import { type Acknowledged, Journal } from "./Journal.ts"
import { choosePet, type Shop } from "./shop.ts"

// Of a server that the checks only compare.
const server = {} as AppServer

/** A petstore with an order for two of five units, each of one, and what their callers know. */
const sold = async () => {
  const petstore = await createPetstore()
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const { id: petId } = await petstore.pets.create({ name: "Rex", categoryId })
  await petstore.inventory.set(petId, 5)
  const journal = new Journal()
  const acknowledge = (orderId: number): Acknowledged => ({
    key: `k${orderId}`,
    petId,
    server,
    orderId,
    sentAt: 0,
    at: 0
  })
  for (let count = 0; count < 2; count++) {
    const { id } = await petstore.orders.place({ petId, quantity: 1 })
    journal.acknowledged.push(acknowledge(id))
  }
  const shop: Shop = { pets: [{ id: petId, units: 5, share: 1 }] }
  return { petstore, petId, journal, shop, acknowledge }
}

describe("the checks of the failover run", () => {
  it("given what callers know and what is stored agree, there is no violation", async () => {
    const { journal, petstore, shop } = await sold()
    assert.deepStrictEqual((await checkOrders(petstore, journal)).violations, [])
    assert.deepStrictEqual((await checkStock(petstore, shop, journal)).violations, [])
  })

  it("given an acknowledged order that is not stored, it is lost", async () => {
    const { acknowledge, journal, petstore, petId, shop } = await sold()
    journal.acknowledged.push(acknowledge(99))
    assert.deepStrictEqual((await checkOrders(petstore, journal)).violations, ["1 acknowledged orders are lost: 99"])
    assert.deepStrictEqual((await checkStock(petstore, shop, journal)).violations, [
      `pet ${petId}: 5 units, 3 sold, 3 left`
    ])
  })

  it("given an order that nobody was told of, a key had two effects", async () => {
    const { journal, petstore, petId } = await sold()
    const { id } = await petstore.orders.place({ petId, quantity: 1 })
    assert.deepStrictEqual((await checkOrders(petstore, journal)).violations, [`1 orders belong to no key: ${id}`])
  })

  it("given an order that was refused while units were left, stock is not exact", async () => {
    const { journal, petstore, petId, shop } = await sold()
    journal.refused.push({ key: "k", petId, server })
    assert.deepStrictEqual((await checkStock(petstore, shop, journal)).violations, [
      `pet ${petId}: 1 orders refused, and 3 units are left`
    ])
  })
})

describe("the failover run", () => {
  it("given programs that are missing, it names the packages to install", () => {
    const { PATH } = process.env
    process.env.PATH = ""
    try {
      assert.throws(findPrograms, /apt-get install -y --no-install-recommends etcd-server patroni/)
    } finally {
      process.env.PATH = PATH
    }
  })

  it("given a seed, callers want the same pets again, in their shares", () => {
    const shop: Shop = { pets: [0.7, 0.3].map((share, index) => ({ id: index + 1, units: 1, share })) }
    const wanted = () => {
      const random = randomOf(7)
      return Array.from({ length: 1000 }, () => choosePet(shop, random()).id)
    }
    assert.deepStrictEqual(wanted(), wanted())
    assert.approximately(wanted().filter((id) => id === 1).length, 700, 50)
  })
})
