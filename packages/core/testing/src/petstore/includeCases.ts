import type { PetstoreApi } from "@petstore/core"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsInput } from "./rejections.ts"

const included = { include: "record" } as const

/** Two pets of one category, an open order and a draft, of which the second pet, the category and the draft have set records. */
const someResources = async (petstore: PetstoreApi) => {
  const categoryId = await category(petstore)
  const [one, other] = await petstore.pets.createAll(["Rex", "Max"].map((name) => ({ name, categoryId })))
  const [petId, otherId] = [one?.id ?? 0, other?.id ?? 0]
  const { id: draftId } = await petstore.orders.place({})
  await petstore.records.update("pets", otherId, { externalId: "A/1", metadata: { chip: "276" } })
  await petstore.records.update("categories", categoryId, { metadata: { shelf: "3" } })
  await petstore.records.update("orders", draftId, { externalId: "WEB-1", metadata: { channel: "web" } })
  return { categoryId, petId, otherId, draftId, orderId: await orderOf(petstore, petId) }
}

/** The record of a resource as it is shown in it. */
const shown = async (petstore: PetstoreApi, kind: "pets" | "categories" | "orders", id: number) => {
  const { id: _, version: __, ...record } = await petstore.records.get(kind, id)
  return record
}

export const includeCases = petstoreCases("records in resources", {
  "a pet and a category have their records if these are asked for": async (petstore) => {
    const { categoryId, otherId, petId } = await someResources(petstore)
    for (const id of [petId, otherId]) {
      const record = await shown(petstore, "pets", id)
      assertEqual(await petstore.pets.get(id, included), { ...(await petstore.pets.get(id)), record })
      const both = await petstore.pets.getWithInventory(id)
      assertEqual(await petstore.pets.getWithInventory(id, included), { ...both, record })
    }
    const record = await shown(petstore, "categories", categoryId)
    const category = await petstore.categories.get(categoryId, included)
    assertEqual(category, { ...(await petstore.categories.get(categoryId)), record })
    assertEqual(category.record.metadata, { shelf: "3" })
  },
  "an order has its record, with its state and when it expires": async (petstore) => {
    const { draftId, petId } = await someResources(petstore)
    const { orders } = petstore
    const { record: ofDraft, ...draft } = await orders.get(draftId, included)
    assertEqual(draft, await orders.get(draftId))
    const { owner: _, ...rest } = ofDraft
    assertEqual(rest, { ...(await shown(petstore, "orders", draftId)), state: "draft" })
    await petstore.inventory.set(petId, 9)
    const { id } = await orders.place({ petId }, { reserveFor: "1 minute" })
    const { record } = await orders.get(id, included)
    assertEqual([record.state, record.expiresAt], ["open", (await orders.reservation(id)).expiresAt])
    await orders.complete(id)
    const { record: completed } = await orders.get(id, included)
    assertEqual([completed.state, completed.expiresAt], ["complete", undefined])
  },
  "each item of a list has its record": async (petstore) => {
    const { categoryId } = await someResources(petstore)
    for (const filter of [{}, { categoryId }, { name: "M" }, { sort: "-name" as const }, { id: [1, 2, 3] }]) {
      for (const limit of [1, 20]) {
        const plain = await collect(petstore.pets.all({ ...filter, limit }))
        const withRecords = await collect(petstore.pets.all({ ...filter, limit, ...included }))
        assertEqual(
          withRecords,
          await Promise.all(plain.map(async (pet) => ({ ...pet, record: await shown(petstore, "pets", pet.id) }))),
          JSON.stringify(filter)
        )
      }
    }
    for (const { record, ...category } of await collect(petstore.categories.all({ limit: 1, ...included }))) {
      assertEqual(record, await shown(petstore, "categories", category.id))
      assertTrue(!("version" in category), "an item of a list has no version")
    }
    const orders = await collect(petstore.orders.all({ limit: 1, sort: "-id", ...included }))
    assertEqual(
      orders.map(({ record: _, ...order }) => order),
      await collect(petstore.orders.all({ sort: "-id" }))
    )
    for (const { id, record } of orders) {
      const { expiresAt: _, owner: __, state, ...rest } = record
      assertEqual(rest, await shown(petstore, "orders", id))
      assertTrue(state === "open" || state === "draft", "the state is that of the order")
    }
  },
  "a cursor leads on with records and without": async (petstore) => {
    const { petId } = await someResources(petstore)
    const { next = "" } = await petstore.pets.list({ limit: 1 })
    const { items } = await petstore.pets.list({ limit: 1, cursor: next, ...included })
    assertEqual(items.length, 1)
    assertTrue(items[0]?.id !== petId, "the page is the next one")
  },
  "nothing else can be included": async (petstore) => {
    for (const include of ["records", "", ["record"], true, null]) {
      await rejectsInput(petstore.pets.list({ include: include as never }), "/query/include")
      await rejectsInput(petstore.categories.list({ include: include as never }), "/query/include")
      await rejectsInput(petstore.orders.list({ include: include as never }), "/query/include")
    }
  }
})
