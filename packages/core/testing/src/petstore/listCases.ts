import type { PetstoreApi } from "@petstore/core"
import {
  type EventListQuery,
  formatCursor,
  type InventoryFilter,
  limits,
  type OrderFilter,
  type PetFilter,
  type PetStatus
} from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { type AnyList, everyList } from "./everyList.ts"
import { category, heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { allIds, collect, idsOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

/** Pets of one category, in the order of creation. */
const pets = async (petstore: PetstoreApi, count: number) => {
  const categoryId = await category(petstore)
  const names = Array.from({ length: count }, (_, index) => ({ name: `Pet ${index + 1}`, categoryId }))
  return { categoryId, ids: idsOf(await petstore.pets.createAll(names)) }
}

/** A list, of which each query has a part. */
const withPart = ({ all, list }: AnyList, part: object): AnyList => ({
  all: (query) => all(untyped({ ...part, ...Object(query) })),
  list: (query) => list(untyped({ ...part, ...Object(query) }))
})

/** Every list with three items, and those of a part of them. */
const filledLists = async (petstore: PetstoreApi): Promise<Readonly<Record<string, AnyList>>> => {
  const { accounts, apiKeys, inventory, messages, webhooks } = petstore
  for (const n of [1, 2, 3]) {
    await orderOf(petstore, await petOf(petstore, n + 1))
    await messages.enqueue(`Message ${n}`)
    const { id: accountId } = await accounts.create({ name: `Account ${n}` })
    await apiKeys.create({ accountId, name: "Key", preset: "read" })
    await webhooks.create({ url: `https://example.com/${n}` })
  }
  return {
    ...everyList(petstore),
    "available pets": withPart(inventory, { status: "available" }),
    "queued messages": withPart(messages, { status: "queued" })
  }
}

const named = async (petstore: PetstoreApi, name: string) =>
  (await petstore.pets.list({ name })).items.map((pet) => pet.name)

/** The cursor with one of its characters replaced, for each character and three replacements. */
const alterations = (cursor: string): ReadonlyArray<string> =>
  [...cursor].flatMap((character, index) =>
    [character === "A" ? "B" : "A", character === "9" ? "8" : "9", "."].map(
      (other) => cursor.slice(0, index) + other + cursor.slice(index + 1)
    )
  )

export const pagingCases = petstoreCases("lists", {
  "lists of an empty store are empty, and have no next page": async (petstore) => {
    for (const [name, { list }] of Object.entries(everyList(petstore))) assertEqual(await list(), { items: [] }, name)
  },
  "every list has pages of any size in both directions, with each item once": async (petstore) => {
    for (const [name, { all }] of Object.entries(await filledLists(petstore))) {
      const ascending = await collect(all())
      assertEqual(ascending.length, 3, name)
      for (const limit of [1, 2, 3, limits.page]) {
        assertEqual(await collect(all(untyped({ sort: "id", limit }))), ascending, `${name} in pages of ${limit}`)
        const descending = await collect(all(untyped({ sort: "-id", limit })))
        assertEqual(descending, ascending.toReversed(), `${name} in pages of ${limit}, reversed`)
      }
    }
  },
  "a cursor works with its own list and direction alone": async (petstore) => {
    const lists = Object.entries(await filledLists(petstore))
    for (const [name, { list }] of lists) {
      const { next: cursor } = await list(untyped({ sort: "-id", limit: 1 }))
      assertEqual((await list(untyped({ sort: "-id", cursor }))).items.length, 2, name)
      await rejectsWith("invalid_cursor", list(untyped({ sort: "id", cursor })))
      for (const [other, { list: listOther }] of lists)
        if (other !== name) await rejectsWith("invalid_cursor", listOther(untyped({ sort: "-id", cursor })))
    }
    const [one = 0, other = 0] = await allIds(petstore.pets.all())
    const { next: cursor = "" } = await petstore.inventory.movements(one, { limit: 1 })
    await rejectsWith("invalid_cursor", petstore.inventory.movements(other, { cursor }))
    await rejectsWith("invalid_cursor", petstore.pets.list({ cursor }))
  },
  "a page has 1 to 100 items, of a list that takes an object without unknown filters": async (petstore) => {
    for (const { list } of Object.values(everyList(petstore))) {
      await list(untyped({ limit: limits.page }))
      for (const limit of [null, 0, -1, 1.5, limits.page + 1, Number.NaN, "20"])
        await rejectsInput(list(untyped({ limit })), "/query/limit")
      for (const query of [null, true, 7, "available", []]) await rejectsInput(list(untyped(query)), "/query")
      await rejectsInput(list(untyped({ colour: "red", limit: 0 })), "/query/colour", "/query/limit")
      await rejectsInput(list(untyped({ sort: "colour" })), "/query/sort")
    }
  },
  "a page has 20 items by default, and a cursor leads on with any number": async (petstore) => {
    const { ids } = await pets(petstore, 23)
    const { items, next: cursor = "" } = await petstore.pets.list()
    assertEqual(idsOf(items), ids.slice(0, limits.defaultPage))
    const last = await petstore.pets.list({ cursor })
    assertEqual([idsOf(last.items), last.next], [ids.slice(limits.defaultPage), undefined])
    assertEqual(idsOf((await petstore.pets.list({ cursor, limit: 2 })).items), ids.slice(20, 22))
    assertEqual(await allIds(petstore.pets.all({ cursor, limit: 1 })), ids.slice(20))
    for (const limit of [22, 23]) {
      const { next } = await petstore.pets.list({ limit })
      assertEqual(next === undefined, limit === 23, `whether ${limit} are all`)
    }
  },
  "an iteration may end early": async (petstore) => {
    const { ids } = await pets(petstore, 5)
    const seen: Array<number> = []
    for await (const { id } of petstore.pets.all({ limit: 2 })) {
      seen.push(id)
      if (seen.length === 3) break
    }
    assertEqual(seen, ids.slice(0, 3))
  },
  "adding or deleting items while paging neither skips nor repeats the others": async (petstore) => {
    const { categoryId, ids } = await pets(petstore, 6)
    const first = await petstore.pets.list({ limit: 3 })
    await petstore.pets.delete(ids[2] ?? 0)
    await petstore.pets.delete(ids[4] ?? 0)
    const added = await petstore.pets.create({ name: "Late", categoryId })
    const rest = await allIds(petstore.pets.all({ limit: 3, cursor: first.next ?? "" }))
    assertEqual(rest, [ids[3], ids[5], added.id])
  },
  "pets and inventory are filtered by status": async (petstore) => {
    const [available, held, sold] = [await petOf(petstore, 3), await heldPetOf(petstore, 1), await petOf(petstore, 0)]
    const reserved = await petOf(petstore, 2)
    await orderOf(petstore, reserved, 2)
    const list = async (status: PetStatus) => {
      const ids = idsOf((await petstore.pets.list({ status })).items)
      const { items } = await petstore.inventory.list({ status })
      assertEqual(
        items,
        await Promise.all(
          ids.map(async (id) => {
            const { version: _, ...item } = await petstore.inventory.get(id)
            return item
          })
        )
      )
      return ids
    }
    assertEqual(await list("available"), [available])
    assertEqual(await list("pending"), [held, reserved])
    assertEqual(await list("sold"), [sold])
    await petstore.pets.update(held, { status: "sold" })
    assertEqual(await list("sold"), [held, sold])
  },
  "pets are filtered by category; an unknown category has none": async (petstore) => {
    const [first, second] = [await pets(petstore, 2), await pets(petstore, 3)]
    const list = (categoryId: number) => allIds(petstore.pets.all({ categoryId }))
    assertEqual(await list(first.categoryId), first.ids)
    await petstore.pets.update(first.ids[0] ?? 0, { categoryId: second.categoryId })
    assertEqual(await list(first.categoryId), first.ids.slice(1))
    assertEqual(await list(second.categoryId), [first.ids[0], ...second.ids])
    assertEqual(await list(unknown), [])
  },
  "pets are filtered by the beginning of their name, and case matters": async (petstore) => {
    const categoryId = await category(petstore)
    for (const name of ["Rex", "Rexy", "rex", "Re", "T-Rex"]) await petstore.pets.create({ name, categoryId })
    assertEqual(await named(petstore, "Rex"), ["Rex", "Rexy"])
    assertEqual(await named(petstore, "r"), ["rex"])
    assertEqual(await named(petstore, "Rexyz"), [])
    await petstore.pets.update((await petstore.pets.list({ name: "Rexy" })).items[0]?.id ?? 0, { name: "Max" })
    assertEqual(await named(petstore, "Rex"), ["Rex"])
    assertEqual(await named(petstore, "Ma"), ["Max"])
  },
  "pets that are filtered by name are ordered by name, then by id, of any length": async (petstore) => {
    const categoryId = await category(petstore)
    const longest = `Re${"🐶".repeat(limits.petName - 2)}`
    const create = async (name: string) => (await petstore.pets.create({ name, categoryId })).id
    const ids: Array<number> = []
    for (const name of ["Rexy", "Rex", "Rex 🐕 \uffee.1", "Rex", longest, longest, "Max"]) ids.push(await create(name))
    const expected = [ids[1], ids[3], ids[2], ids[0], ids[4], ids[5]]
    for (const limit of [1, 2, 3, 20]) assertEqual(await allIds(petstore.pets.all({ name: "Re", limit })), expected)
    assertEqual(idsOf((await petstore.pets.list({ name: "Re", id: ids })).items), expected)
  },
  "pets are filtered by ids, in any order and each returned once": async (petstore) => {
    const { ids } = await pets(petstore, 30)
    const [first = 0, second = 0, third = 0] = ids
    assertEqual(idsOf((await petstore.pets.list({ id: [third, first, unknown, third] })).items), [first, third])
    assertEqual(idsOf((await petstore.pets.list({ id: ids })).items), ids, "all of them in one page")
    const page = await petstore.pets.list({ id: [second, first, third], limit: 2 })
    assertEqual(idsOf(page.items), [first, second])
    const rest = await petstore.pets.list({ id: [first, second, third], limit: 2, cursor: page.next ?? "" })
    assertEqual(idsOf(rest.items), [third])
  },
  "filters of pets are combined, and paged": async (petstore) => {
    const categoryId = await category(petstore)
    const create = async (name: string, status: PetStatus) =>
      (await petstore.pets.create({ name, categoryId, status })).id
    const last = await create("Rexy", "available")
    await create("Rex", "sold")
    await create("Max", "available")
    const first = await create("Rex", "available")
    await petOf(petstore, 1)
    const filter = { status: "available", categoryId, name: "Rex" } as const
    for (const limit of [1, 20]) assertEqual(await allIds(petstore.pets.all({ ...filter, limit })), [first, last])
    assertEqual(await allIds(petstore.pets.all({ ...filter, id: [last] })), [last])
    assertEqual(await allIds(petstore.pets.all({ ...filter, status: "pending" })), [])
  },
  "what runs out is listed by the units that can be ordered, whatever the pages, statuses and directions": async (
    petstore
  ) => {
    const ids: Array<number> = []
    for (const quantity of [9, 3, 0, 7, 2]) ids.push(await petOf(petstore, quantity))
    const [, few, none, reserved, held] = ids as [number, number, number, number, number]
    await orderOf(petstore, reserved, 6)
    await petstore.pets.update(held, { status: "pending" })
    const listed = async (filter: Parameters<typeof petstore.inventory.list>[0]) =>
      (await collect(petstore.inventory.all(filter))).map(({ petId }) => petId)
    for (const limit of [1, 2, 100]) {
      assertEqual(await listed({ maxAvailable: 3, limit }), [few, none, reserved, held], `pages of ${limit}`)
      assertEqual(await listed({ maxAvailable: 1, sort: "-id", limit }), [held, reserved, none])
    }
    assertEqual(await listed({ maxAvailable: 0 }), [none, held])
    assertEqual(await listed({ maxAvailable: 3, status: "available" }), [few, reserved])
    const { next = "" } = await petstore.inventory.list({ maxAvailable: 3, limit: 1 })
    await rejectsWith("invalid_cursor", petstore.inventory.list({ maxAvailable: 2, cursor: next }))
    await rejectsWith("invalid_cursor", petstore.inventory.list({ cursor: next }))
    for (const maxAvailable of [-1, 0.5, limits.stock + 1]) {
      await rejectsInput(petstore.inventory.list({ maxAvailable }), "/query/maxAvailable")
    }
  },
  "a cursor is rejected with other filters": async (petstore) => {
    const { categoryId, ids } = await pets(petstore, 4)
    await Promise.all(ids.map((petId) => petstore.orders.place({ petId, complete: true })))
    const works = async <Filter extends object>(
      list: (filter: Filter) => Promise<{ readonly items: ReadonlyArray<unknown>; readonly next?: string }>,
      filter: Filter,
      ...others: ReadonlyArray<Filter>
    ) => {
      const { next: cursor } = await list({ ...filter, limit: 1 })
      assertEqual((await list({ ...filter, cursor })).items.length, 3)
      for (const other of others) await rejectsWith("invalid_cursor", list({ ...other, cursor }))
    }
    const { inventory, orders, pets: listed } = petstore
    const ofOthers = [{}, { categoryId: categoryId + 1 }, { categoryId, name: "P" }, { categoryId, id: ids }]
    await works<PetFilter>(listed.list, { categoryId }, ...ofOthers)
    await works<PetFilter>(listed.list, { id: ids }, {}, { id: ids.slice(1) })
    await works<InventoryFilter>(inventory.list, { status: "sold" }, {}, { status: "available" })
    const ofOrders = [{}, { complete: false }, { complete: true, petId: ids[0] ?? 0 }]
    await works<OrderFilter>(orders.list, { complete: true }, ...ofOrders)
  },
  "a cursor that was changed anywhere, or forged, is rejected": async (petstore) => {
    await pets(petstore, 2)
    const { next: cursor = "" } = await petstore.pets.list({ limit: 1 })
    assertTrue(cursor !== "", "there is a next page")
    const altered = [...alterations(cursor), cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`]
    const forged = ["", "1", "null", "../..", "\u0000", "\ud800", "a".repeat(10_000), btoa("1.x.1.x"), "MTIzNDU2"]
    for (const wrong of [...altered, ...forged, formatCursor("pets", {}, "abc")])
      await rejectsWith("invalid_cursor", petstore.pets.list({ cursor: wrong }))
    for (const last of ["1", "x Pet 1", "1 Max", "1.5 Pet 1", " Pet 1"]) {
      const wrong = formatCursor("pets", { name: "P" }, last)
      await rejectsWith("invalid_cursor", petstore.pets.list({ name: "P", cursor: wrong }))
    }
  },
  "the log and a ledger have their newest entries first, if asked, with their filters": async (petstore) => {
    for (let id = 1; id <= 3; id++) await petOf(petstore, id)
    const petId = await petOf(petstore, 9)
    for (const quantity of [8, 7, 6]) await petstore.inventory.set(petId, quantity)
    const events = await collect(petstore.events.all())
    const movements = await collect(petstore.inventory.allMovements(petId))
    const [after, types] = [3, ["pet.created" as const]]
    for (const limit of [1, 2, 100]) {
      const listed = (query: EventListQuery) => collect(petstore.events.all({ sort: "-seq", limit, ...query }))
      assertEqual(await listed({}), events.toReversed(), `pages of ${limit}`)
      assertEqual(await listed({ after }), events.slice(after).toReversed())
      assertEqual(await listed({ types }), events.filter(({ type }) => type === "pet.created").toReversed())
      assertEqual(await listed({ until: "2000-01-01T00:00:00Z" }), [])
      assertEqual(await listed({ since: "2000-01-01T00:00:00Z" }), events.toReversed())
      const descending = await collect(petstore.inventory.allMovements(petId, { sort: "-seq", limit }))
      assertEqual(descending, movements.toReversed(), `pages of ${limit}`)
    }
    const { next = "" } = await petstore.events.list({ sort: "-seq", limit: 1 })
    await rejectsWith("invalid_cursor", petstore.events.list({ cursor: next }))
    await rejectsInput(petstore.events.list({ sort: untyped("-id") }), "/query/sort")
    await rejectsInput(petstore.inventory.movements(petId, { sort: untyped("-id") }), "/query/sort")
  }
})

const names = ["Rex", "Anna", "rex", "Zoë", "Rex", "\u{1F436}", "Älf", "Rexy", "Bo"]

const byCodePoint = ["Anna", "Bo", "Rex", "Rex", "Rexy", "Zoë", "rex", "Älf", "\u{1F436}"]

/** Pets with these names, in the order of their ids. */
const petsNamed = async (petstore: PetstoreApi, names: ReadonlyArray<string>) => {
  const categoryId = await category(petstore)
  return petstore.pets.createAll(
    names.map((name, index) => ({ name, categoryId, ...(index % 3 === 2 ? { status: "sold" as const } : {}) }))
  )
}

const namesOf = (items: ReadonlyArray<{ readonly name: string }>) => items.map(({ name }) => name)

/** A draft, two open orders of a pet, of another one a complete and an open one, and one that is cancelled. */
const someOrders = async (petstore: PetstoreApi) => {
  const [one, other] = [await petOf(petstore, 9), await petOf(petstore, 9)]
  const ids: Array<number> = []
  for (const order of [{}, { petId: one }, { petId: other, complete: true }, { petId: one }, { petId: other }])
    ids.push((await petstore.orders.place(order)).id)
  await petstore.orders.cancel(await orderOf(petstore, one))
  return { one, other, ids }
}

export const listCases = petstoreCases("orders of lists", {
  "pets are listed by id and by name, in both directions, equal names by id": async (petstore) => {
    const pets = await petsNamed(petstore, names)
    const { categoryId = 0 } = pets[0] ?? {}
    const list = (filter: PetFilter) => collect(petstore.pets.all(filter))
    for (const limit of [1, 2, 4, 8, 9]) {
      const sold = pets.filter(({ status }) => status === "sold")
      assertEqual(await list({ sort: "-id", status: "sold", limit }), sold.toReversed(), `pages of ${limit}`)
      const ascending = await list({ sort: "name", limit })
      assertEqual(namesOf(ascending), byCodePoint, `pages of ${limit}`)
      assertEqual(idsOf(ascending.filter(({ name }) => name === "Rex")), [pets[0]?.id, pets[4]?.id])
      assertEqual(await list({ sort: "-name", limit }), ascending.toReversed())
      const rexes = ascending.filter(({ name }) => name.startsWith("Rex"))
      assertEqual(await list({ name: "Rex", limit }), rexes)
      assertEqual(await list({ name: "Rex", sort: "-name", limit }), rexes.toReversed())
      assertEqual(await list({ categoryId, sort: "-name", limit }), ascending.toReversed())
    }
    const id = idsOf(pets.slice(0, 4))
    assertEqual(idsOf(await list({ id, sort: "-id" })), id.toReversed())
    assertEqual(namesOf(await list({ id, sort: "-name" })), ["rex", "Zoë", "Rex", "Anna"])
  },
  "pets with a beginning of the name are not sorted by id": async (petstore) => {
    await rejectsInput(petstore.pets.list({ name: "R", sort: "id" }), "/query/sort")
    await rejectsInput(petstore.pets.list({ name: "R", sort: "-id" }), "/query/sort")
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
  "orders are listed by pet, by state and by whether they are complete, in both directions": async (petstore) => {
    const { ids, one, other } = await someOrders(petstore)
    const [draft = 0, first = 0, complete, second, last] = ids
    const list = (filter: OrderFilter) => allIds(petstore.orders.all(filter))
    assertEqual(await list({}), ids)
    assertEqual(await list({ petId: one, sort: "-id", limit: 1 }), [second, first])
    assertEqual(await list({ state: "draft" }), [draft])
    assertEqual(await list({ state: "open", limit: 1 }), [first, second, last])
    assertEqual(await list({ state: "open", sort: "-id", petId: other }), [last])
    for (const filter of [{ state: "complete" as const }, { complete: true }, { complete: true, petId: other }])
      assertEqual(await list(filter), [complete])
    for (const filter of [{ state: "draft" as const, petId: one }, { petId: unknown }])
      assertEqual(await list(filter), [])
    assertEqual(await list({ state: "open", complete: true }), [])
    assertEqual(await list({ complete: false }), [draft, first, second, last])
    assertEqual(await list({ petId: one, complete: false }), [first, second])
    await rejectsInput(petstore.orders.list({ state: untyped("returned") }), "/query/state")
    await petstore.orders.update(first, { petId: other })
    assertEqual(await list({ petId: other }), [first, complete, last])
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
    const { one } = await someOrders(petstore)
    const ofOrders = async (filter: OrderFilter) => (await petstore.orders.list({ ...filter, count: true })).total
    assertEqual(await ofOrders({}), { count: 5, isExact: true })
    assertEqual(await ofOrders({ petId: one, sort: "-id" }), { count: 2, isExact: true })
    assertEqual(await ofOrders({ state: "draft" }), { count: 1, isExact: true })
  }
})
