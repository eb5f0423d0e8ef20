import type { PetstoreApi } from "@petstore/core"
import type { OrderFilter, PetFilter } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

/** Pets with these names, in the order of their ids. */
const petsNamed = async (petstore: PetstoreApi, names: ReadonlyArray<string>) => {
  const categoryId = await category(petstore)
  return petstore.pets.createAll(
    names.map((name, index) => ({ name, categoryId, ...(index % 3 === 2 ? { status: "sold" as const } : {}) }))
  )
}

const names = ["Rex", "Anna", "rex", "Zoë", "Rex", "\u{1F436}", "Älf", "Rexy", "Bo"]

const byCodePoint = ["Anna", "Bo", "Rex", "Rex", "Rexy", "Zoë", "rex", "Älf", "\u{1F436}"]

const namesOf = (items: ReadonlyArray<{ readonly name: string }>) => items.map(({ name }) => name)
const idsOf = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)

/** A draft, two open orders of a pet, of another one a complete and an open one, and one that is cancelled. */
const someOrders = async (petstore: PetstoreApi) => {
  const [one, other] = [await petOf(petstore, 9), await petOf(petstore, 9)]
  const { orders } = petstore
  const placed = [
    await orders.place({}),
    await orders.place({ petId: one }),
    await orders.place({ petId: other, complete: true }),
    await orders.place({ petId: one }),
    await orders.place({ petId: other }),
    await orders.place({ petId: one })
  ]
  await orders.cancel(placed.at(-1)?.id ?? 0)
  return { one, other, ids: idsOf(placed).slice(0, -1) }
}

export const listCases = petstoreCases("orders of lists", {
  "pets are listed in descending order of ids": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const descending = pets.toReversed()
    assertEqual((await petstore.pets.list({ sort: "-id" })).items, descending)
    assertEqual((await petstore.pets.list({ sort: "id" })).items, pets)
    for (const limit of [1, 2, 4, 8, 9]) {
      assertEqual(await collect(petstore.pets.all({ sort: "-id", limit })), descending, `pages of ${limit}`)
      const sold = descending.filter(({ status }) => status === "sold")
      assertEqual(await collect(petstore.pets.all({ sort: "-id", status: "sold", limit })), sold)
    }
  },
  "pets are listed by name, in both directions, equal names by id": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const list = (filter: PetFilter) => collect(petstore.pets.all(filter))
    for (const limit of [1, 2, 4, 8, 9]) {
      const ascending = await list({ sort: "name", limit })
      assertEqual(namesOf(ascending), byCodePoint, `pages of ${limit}`)
      assertEqual(idsOf(ascending.filter(({ name }) => name === "Rex")), [pets[0]?.id, pets[4]?.id])
      assertEqual(await list({ sort: "-name", limit }), ascending.toReversed())
      const rexes = ascending.filter(({ name }) => name.startsWith("Rex"))
      assertEqual(await list({ name: "Rex", limit }), rexes)
      assertEqual(await list({ name: "Rex", sort: "-name", limit }), rexes.toReversed())
      const { categoryId = 0 } = pets[0] ?? {}
      assertEqual(await list({ categoryId, sort: "-name", limit }), ascending.toReversed())
    }
  },
  "pets chosen by their ids are sorted too": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const id = idsOf(pets.slice(0, 4))
    assertEqual(idsOf((await petstore.pets.list({ id, sort: "-id" })).items), id.toReversed())
    assertEqual(namesOf((await petstore.pets.list({ id, sort: "-name" })).items), ["rex", "Zoë", "Rex", "Anna"])
  },
  "pets with a beginning of the name are not sorted by id": async (petstore) => {
    await rejectsInput(petstore.pets.list({ name: "R", sort: "id" }), "/query/sort")
    await rejectsInput(petstore.pets.list({ name: "R", sort: "-id" }), "/query/sort")
    await rejectsInput(petstore.pets.list({ sort: "status" as never }), "/query/sort")
    await rejectsInput(petstore.orders.list({ sort: "name" as never }), "/query/sort")
  },
  "a cursor works with its own order alone": async (petstore) => {
    await petsNamed(petstore, names)
    const next = async (filter: PetFilter) => (await petstore.pets.list({ ...filter, limit: 2 })).next ?? ""
    const sorts = [undefined, "-id", "name", "-name"] as const
    for (const sort of sorts) {
      const cursor = await next(sort === undefined ? {} : { sort })
      for (const other of sorts.filter((one) => one !== sort)) {
        await rejectsWith("invalid_cursor", petstore.pets.list({ cursor, ...(other && { sort: other }) }))
      }
    }
    assertEqual(await next({ sort: "id" }), await next({}), "the default order is one list, whether or not it is named")
  },
  "an item that is added between two pages of a descending list is in none of the next ones": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const first = await petstore.pets.list({ sort: "-id", limit: 4 })
    await petsNamed(petstore, ["Late"])
    const { items } = await petstore.pets.list({ sort: "-id", cursor: first.next ?? "" })
    assertEqual([...first.items, ...items], pets.toReversed())
  },
  "orders are listed in descending order, by pet and by state": async (petstore) => {
    const { ids, one, other } = await someOrders(petstore)
    const [draft, first, complete, second, last] = ids
    const list = async (filter: OrderFilter) => idsOf(await collect(petstore.orders.all(filter)))
    assertEqual(await list({ sort: "-id" }), ids.toReversed())
    assertEqual(await list({ sort: "-id", limit: 1 }), ids.toReversed())
    assertEqual(await list({ petId: one, sort: "-id", limit: 1 }), [second, first])
    assertEqual(await list({ state: "draft" }), [draft])
    assertEqual(await list({ state: "open", limit: 1 }), [first, second, last])
    assertEqual(await list({ state: "open", sort: "-id", petId: other }), [last])
    assertEqual(await list({ state: "complete" }), [complete])
    assertEqual(await list({ state: "draft", petId: one }), [])
    assertEqual(await list({ state: "open", complete: true }), [])
    assertEqual(await list({ complete: false }), [draft, first, second, last])
    await rejectsInput(petstore.orders.list({ state: "returned" as never }), "/query/state")
  },
  "a page has the total of its list on request, whatever its own limit": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const total = async (filter: PetFilter) => (await petstore.pets.list({ ...filter, count: true, limit: 1 })).total
    assertEqual(await total({}), { count: 9, isExact: true })
    assertEqual(await total({ sort: "-name" }), { count: 9, isExact: true })
    assertEqual(await total({ status: "sold" }), { count: 3, isExact: true })
    assertEqual(await total({ name: "Rex" }), { count: 3, isExact: true })
    assertEqual(await total({ id: idsOf(pets.slice(0, 2)) }), { count: 2, isExact: true })
    assertEqual(await total({ categoryId: 99 }), { count: 0, isExact: true })
    assertTrue(!("total" in (await petstore.pets.list({ count: false }))), "no total without a request")
    const { next = "" } = await petstore.pets.list({ limit: 4 })
    const rest = await petstore.pets.list({ cursor: next, count: true })
    assertEqual([rest.items.length, rest.total], [5, { count: 9, isExact: true }])
  },
  "a page of orders has the total of its list on request": async (petstore) => {
    const { one } = await someOrders(petstore)
    const total = async (filter: OrderFilter) => (await petstore.orders.list({ ...filter, count: true })).total
    assertEqual(await total({}), { count: 5, isExact: true })
    assertEqual(await total({ petId: one, sort: "-id" }), { count: 2, isExact: true })
    assertEqual(await total({ state: "draft" }), { count: 1, isExact: true })
  }
})
