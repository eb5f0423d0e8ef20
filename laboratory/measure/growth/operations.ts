import type { Petstore } from "@petstore/core"

/** An operation of a store with so many pets and orders. `prepare` returns what its calls use; only the calls are measured. */
export interface Operation {
  readonly prepare: (petstore: Petstore, ids: () => number, calls: number) => Promise<ReadonlyArray<number>>
  readonly call: (petstore: Petstore, id: number) => Promise<unknown>
}

const randomIds: Operation["prepare"] = async (_, ids, calls) => Array.from({ length: calls }, ids)

/** Gives pets all over the store units for one order each. */
const stockedPets: Operation["prepare"] = async (petstore, ids, calls) => {
  const chosen = [...new Set(Array.from({ length: calls }, ids))]
  await Promise.all(
    chosen.map(async (id) => {
      const { quantity } = await petstore.inventory.get(id)
      await petstore.inventory.set(id, quantity + 1)
    })
  )
  return chosen
}

/** Orders of pets all over the store, to be completed. */
const openOrders: Operation["prepare"] = async (petstore, ids, calls) => {
  const pets = await stockedPets(petstore, ids, calls)
  const orders = await Promise.all(pets.map((petId) => petstore.orders.place({ petId })))
  return orders.map(({ id }) => id)
}

const reading = (call: Operation["call"]): Operation => ({ prepare: randomIds, call })

/** Some orders are cancelled. */
const orderIfThere = (petstore: Petstore, id: number): Promise<unknown> =>
  petstore.orders.get(id).catch((error: { readonly code?: string }) => {
    if (error.code !== "not_found") throw error
  })

/** What must not cost more as a store grows, by name. */
export const operations: Readonly<Record<string, Operation>> = {
  "get a pet": reading((petstore, id) => petstore.pets.get(id)),
  "get an order": reading(orderIfThere),
  place: { prepare: stockedPets, call: (petstore, petId) => petstore.orders.place({ petId }) },
  complete: { prepare: openOrders, call: (petstore, id) => petstore.orders.update(id, { complete: true }) },
  "update a pet": {
    prepare: randomIds,
    call: (petstore, id) => petstore.pets.update(id, { name: `Pet ${id} ${Math.random()}` })
  },
  "list by status": reading((petstore) => petstore.pets.list({ status: "available" })),
  "list by status and category": reading((petstore, id) =>
    petstore.pets.list({ status: "pending", categoryId: 1 + (id % 20) })
  ),
  "list orders": reading((petstore, id) => petstore.orders.list({ complete: id % 2 === 0 })),
  "list orders of a pet": reading((petstore, petId) => petstore.orders.list({ petId })),
  // Of each status, both stores have more such names than a page.
  "list by name": reading((petstore, id) => petstore.pets.list({ name: `Pet ${1 + (id % 9)}` })),
  // A few of many matches, which come after nearly all other names.
  "list by name and category": reading((petstore, id) =>
    petstore.pets.list({ name: "Pet 9", categoryId: 1 + (id % 20) })
  )
}
