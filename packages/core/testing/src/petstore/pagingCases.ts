import type { PetstoreApi } from "@petstore/core"
import { formatCursor, limits, type PetStatus } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

/** Pets of one category, in the order of creation. */
const pets = async (petstore: PetstoreApi, count: number) => {
  const categoryId = await category(petstore)
  const ids: Array<number> = []
  for (let n = 1; n <= count; n++) {
    ids.push((await petstore.pets.create({ name: `Pet ${n}`, categoryId })).id)
  }
  return { categoryId, ids }
}

const idsOf = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)

const named = async (petstore: PetstoreApi, name: string) => {
  const { items } = await petstore.pets.list({ name })
  return items.map((pet) => pet.name)
}

/** The cursor with one of its characters replaced, for each character and three replacements. */
const alterations = (cursor: string): ReadonlyArray<string> =>
  [...cursor].flatMap((character, index) =>
    [character === "A" ? "B" : "A", character === "9" ? "8" : "9", "."].map(
      (other) => cursor.slice(0, index) + other + cursor.slice(index + 1)
    )
  )

export const pagingCases = petstoreCases("lists", {
  "lists of an empty store are empty, and have no next page": async (petstore) => {
    const lists = [
      petstore.pets.list(),
      petstore.categories.list(),
      petstore.inventory.list(),
      petstore.orders.list(),
      petstore.messages.list(),
      petstore.accounts.list(),
      petstore.apiKeys.list()
    ]
    for (const list of lists) assertEqual(await list, { items: [] })
  },
  "a page has 20 items by default, in ascending id": async (petstore) => {
    const { ids } = await pets(petstore, 23)
    const first = await petstore.pets.list()
    assertEqual(idsOf(first.items), ids.slice(0, limits.defaultPage))
    assertTrue(first.next !== undefined, "there is a next page")
    const second = await petstore.pets.list({ cursor: first.next ?? "" })
    assertEqual(idsOf(second.items), ids.slice(limits.defaultPage))
    assertEqual(second.next, undefined)
  },
  "pages of any size contain each item once": async (petstore) => {
    const { ids } = await pets(petstore, 7)
    for (const limit of [1, 2, 3, 6, 7, 8, limits.page]) {
      const pages: Array<ReadonlyArray<number>> = []
      let cursor: string | undefined
      do {
        const page = await petstore.pets.list({ limit, ...(cursor === undefined ? {} : { cursor }) })
        pages.push(idsOf(page.items))
        cursor = page.next
      } while (cursor !== undefined)
      assertEqual(pages.flat(), ids, `the ids in pages of ${limit}`)
      assertEqual(pages.length, Math.ceil(ids.length / limit), `the number of pages of ${limit}`)
    }
  },
  "a cursor works with any page size": async (petstore) => {
    const { ids } = await pets(petstore, 5)
    const { next: cursor = "" } = await petstore.pets.list({ limit: 1 })
    assertEqual(idsOf((await petstore.pets.list({ cursor, limit: 3 })).items), ids.slice(1, 4))
  },
  "a list is iterated page by page, from the start or from a cursor": async (petstore) => {
    const { ids } = await pets(petstore, 25)
    assertEqual(idsOf(await collect(petstore.pets.all())), ids)
    assertEqual(idsOf(await collect(petstore.pets.all({ limit: 4 }))), ids)
    const { next: cursor = "" } = await petstore.pets.list({ limit: 10 })
    assertEqual(idsOf(await collect(petstore.pets.all({ cursor, limit: 10 }))), ids.slice(10))
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
    const rest = await collect(petstore.pets.all({ limit: 3, cursor: first.next ?? "" }))
    assertEqual(idsOf(rest), [ids[3], ids[5], added.id])
  },
  "every list is paged": async (petstore) => {
    const { ids } = await pets(petstore, 3)
    const petId = ids[0] ?? 0
    const orders = [
      await orderOf(petstore, petId),
      await orderOf(petstore, ids[1] ?? 0),
      await orderOf(petstore, ids[2] ?? 0)
    ]
    await petstore.orders.complete(orders[0] ?? 0)
    for (const name of ["A", "B", "C"]) {
      await petstore.categories.create({ name })
      await petstore.messages.enqueue(name)
      const { id: accountId } = await petstore.accounts.create({ name })
      await petstore.apiKeys.create({ accountId, name, preset: "read" })
    }
    const all = [
      petstore.inventory.all({ limit: 2 }),
      petstore.orders.all({ limit: 2 }),
      petstore.inventory.allMovements(petId, { limit: 2 }),
      petstore.messages.all({ limit: 2 }),
      petstore.accounts.all({ limit: 2 }),
      petstore.apiKeys.all({ limit: 2 })
    ]
    for (const items of all) assertEqual((await collect<unknown>(items)).length, 3)
    assertEqual((await collect(petstore.categories.all({ limit: 2 }))).length, 4)
  },
  "pets are filtered by status": async (petstore) => {
    const byStatus = {
      available: await petOf(petstore, 3),
      pending: await heldPetOf(petstore, 1),
      sold: await petOf(petstore, 0)
    }
    const reserved = await petOf(petstore, 2)
    await orderOf(petstore, reserved, 2)
    const list = async (status: PetStatus) => idsOf((await petstore.pets.list({ status })).items)
    assertEqual(await list("available"), [byStatus.available])
    assertEqual(await list("pending"), [byStatus.pending, reserved])
    assertEqual(await list("sold"), [byStatus.sold])
    await petstore.pets.update(byStatus.pending, { status: "sold" })
    assertEqual(await list("sold"), [byStatus.pending, byStatus.sold])
  },
  "pets are filtered by category; an unknown category has none": async (petstore) => {
    const [first, second] = [await pets(petstore, 2), await pets(petstore, 3)]
    const list = async (categoryId: number) => idsOf((await petstore.pets.list({ categoryId })).items)
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
  "pets that are filtered by name are ordered by name, then by id": async (petstore) => {
    const categoryId = await category(petstore)
    const create = async (name: string) => (await petstore.pets.create({ name, categoryId })).id
    const ids = [await create("Rexy"), await create("Rex"), await create("Rex 🐕 \uffee.1"), await create("Rex")]
    await create("Max")
    const expected = [ids[1], ids[3], ids[2], ids[0]]
    assertEqual(idsOf((await petstore.pets.list({ name: "Re" })).items), expected)
    for (const limit of [1, 2, 3]) assertEqual(idsOf(await collect(petstore.pets.all({ name: "Re", limit }))), expected)
    assertEqual(idsOf((await petstore.pets.list({ name: "Re", id: ids })).items), expected)
  },
  "a cursor works after the longest name": async (petstore) => {
    const categoryId = await category(petstore)
    const name = "🐶".repeat(limits.petName)
    const ids = [1, 2].map(() => petstore.pets.create({ name, categoryId }))
    const created = (await Promise.all(ids)).map(({ id }) => id)
    assertEqual(
      idsOf(await collect(petstore.pets.all({ name: "🐶", limit: 1 }))),
      created.sort((a, b) => a - b)
    )
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
    assertEqual(idsOf((await petstore.pets.list(filter)).items), [first, last])
    assertEqual(idsOf(await collect(petstore.pets.all({ ...filter, limit: 1 }))), [first, last])
    assertEqual(idsOf((await petstore.pets.list({ ...filter, id: [last] })).items), [last])
    assertEqual(idsOf((await petstore.pets.list({ ...filter, status: "pending" })).items), [])
  },
  "inventory is filtered by status": async (petstore) => {
    const [available, pending] = [await petOf(petstore, 3), await heldPetOf(petstore, 1)]
    const list = async (status: PetStatus) => (await petstore.inventory.list({ status })).items
    assertEqual(await list("available"), [
      { petId: available, quantity: 3, reserved: 0, available: 3, status: "available" }
    ])
    assertEqual(await list("pending"), [{ petId: pending, quantity: 1, reserved: 0, available: 0, status: "pending" }])
    assertEqual(await list("sold"), [])
  },
  "orders are filtered by pet and by whether they are complete": async (petstore) => {
    const [first, second] = [await petOf(petstore, 9), await petOf(petstore, 9)]
    const open = await orderOf(petstore, first)
    const complete = await orderOf(petstore, first)
    await petstore.orders.complete(complete)
    const other = await orderOf(petstore, second)
    const draft = (await petstore.orders.place({})).id
    await petstore.orders.cancel(await orderOf(petstore, first))
    const list = async (filter: { readonly petId?: number; readonly complete?: boolean }) =>
      idsOf((await petstore.orders.list(filter)).items)
    assertEqual(await list({}), [open, complete, other, draft])
    assertEqual(await list({ petId: first }), [open, complete])
    assertEqual(await list({ complete: true }), [complete])
    assertEqual(await list({ complete: false }), [open, other, draft])
    assertEqual(await list({ petId: first, complete: false }), [open])
    assertEqual(await list({ petId: unknown }), [])
    await petstore.orders.update(open, { petId: second })
    assertEqual(await list({ petId: second }), [open, other])
  },
  "a cursor is rejected with other filters": async (petstore) => {
    const { categoryId, ids } = await pets(petstore, 4)
    await Promise.all(ids.map((petId) => petstore.orders.place({ petId, complete: true })))
    const cursor = ({ next = "" }: { readonly next?: string }) => next
    const ofCategory = cursor(await petstore.pets.list({ categoryId, limit: 1 }))
    for (const filter of [{}, { categoryId: categoryId + 1 }, { categoryId, name: "P" }, { categoryId, id: ids }]) {
      await rejectsWith("invalid_cursor", petstore.pets.list({ ...filter, cursor: ofCategory }))
    }
    const ofIds = cursor(await petstore.pets.list({ id: ids, limit: 1 }))
    for (const filter of [{}, { id: ids.slice(1) }]) {
      await rejectsWith("invalid_cursor", petstore.pets.list({ ...filter, cursor: ofIds }))
    }
    const ofSold = cursor(await petstore.inventory.list({ status: "sold", limit: 1 }))
    for (const filter of [{}, { status: "available" as const }]) {
      await rejectsWith("invalid_cursor", petstore.inventory.list({ ...filter, cursor: ofSold }))
    }
    const ofComplete = cursor(await petstore.orders.list({ complete: true, limit: 1 }))
    for (const filter of [{}, { complete: false }, { complete: true, petId: ids[0] ?? 0 }]) {
      await rejectsWith("invalid_cursor", petstore.orders.list({ ...filter, cursor: ofComplete }))
    }
    assertEqual((await petstore.orders.list({ complete: true, cursor: ofComplete })).items.length, 3)
  },
  "a cursor is rejected by another list": async (petstore) => {
    const { ids } = await pets(petstore, 4)
    const [first = 0, second = 0] = ids
    await petstore.inventory.set(first, 5)
    const { next: cursor = "" } = await petstore.pets.list({ limit: 1 })
    const others = [
      () => petstore.categories.list({ cursor }),
      () => petstore.inventory.list({ cursor }),
      () => petstore.orders.list({ cursor }),
      () => petstore.messages.list({ cursor }),
      () => petstore.accounts.list({ cursor }),
      () => petstore.apiKeys.list({ cursor }),
      () => petstore.inventory.movements(first, { cursor })
    ]
    for (const list of others) await rejectsWith("invalid_cursor", list())
    const { next: movements = "" } = await petstore.inventory.movements(first, { limit: 1 })
    await rejectsWith("invalid_cursor", petstore.inventory.movements(second, { cursor: movements }))
  },
  "a cursor that was changed anywhere is rejected": async (petstore) => {
    await pets(petstore, 2)
    const { next: cursor = "" } = await petstore.pets.list({ limit: 1 })
    assertTrue(cursor !== "", "there is a next page")
    for (const altered of [...alterations(cursor), cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`]) {
      await rejectsWith("invalid_cursor", petstore.pets.list({ cursor: altered }))
    }
  },
  "a forged cursor is rejected": async (petstore) => {
    await pets(petstore, 2)
    const forged = ["", "1", "null", "../..", "\u0000", "\ud800", "a".repeat(10_000), btoa("1.x.1.x"), "MTIzNDU2"]
    const wrong = formatCursor("pets", {}, "abc")
    for (const cursor of [...forged, wrong]) await rejectsWith("invalid_cursor", petstore.pets.list({ cursor }))
    for (const last of ["1", "x Pet 1", "1 Max", "1.5 Pet 1", " Pet 1"]) {
      await rejectsWith(
        "invalid_cursor",
        petstore.pets.list({ name: "P", cursor: formatCursor("pets", { name: "P" }, last) })
      )
    }
  }
})
