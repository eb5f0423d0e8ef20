import type { Petstore, PetstoreApi } from "@petstore/core"
import { type EventListQuery, type ListIndex, limits, NotIndexed } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { type EmbeddedBody, type EmbeddedCase, embeddedGroup } from "./embeddedGroup.ts"
import { category, petOf } from "./given.ts"
import { allIds, collect, idsOf, seqsOf } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

/** The ids of resources by a time of their records, and by themselves where times are equal. */
const byTime = async (
  petstore: PetstoreApi,
  kind: "pets" | "categories" | "orders",
  ids: ReadonlyArray<number>,
  field: "createdAt" | "updatedAt"
) => {
  const timed = await Promise.all(ids.map(async (id) => [(await petstore.records.get(kind, id))[field], id] as const))
  return timed.sort(([a, one], [b, other]) => (a < b ? -1 : a > b ? 1 : one - other))
}

const fields = ["createdAt", "updatedAt"] as const

/** Pets of two categories, of which some change, and orders of ada and of nobody. */
const shop = async (petstore: Petstore) => {
  const [dogs, cats] = [await category(petstore), await category(petstore)]
  const pets = await petstore.pets.createAll(
    Array.from({ length: 7 }, (_, index) => ({ name: `Pet ${index}`, categoryId: index % 2 === 0 ? dogs : cats }))
  )
  const petIds = idsOf(pets)
  const ada = petstore.as({ user: "ada" })
  const orders: Array<number> = []
  for (const [index, petId] of petIds.entries()) {
    orders.push((await (index % 2 === 0 ? ada : petstore).orders.place(index === 3 ? {} : { petId })).id)
  }
  await petstore.pets.update(petIds[2] ?? 0, { name: "Rex" })
  await petstore.records.update("pets", petIds[0] ?? 0, { metadata: { chip: "276" } })
  await petstore.orders.complete(orders[1] ?? 0)
  await petstore.orders.cancel(orders[4] ?? 0)
  return { ada, cats, dogs, petIds, orderIds: orders.filter((_, index) => index !== 4) }
}

const group = "lists by times and metadata"

/** A case on a petstore with these indexes. */
const on = (indexes: ReadonlyArray<ListIndex>, body: EmbeddedBody): EmbeddedCase => ({ options: { indexes }, body })

const indexed = embeddedGroup(group, {
  "lists are sorted by time, and by id where times are equal, in pages of any size and both directions": on(
    fields.flatMap((field) => [`pets.${field}`, `orders.${field}`, `categories.${field}`] as const),
    async (petstore) => {
      const { orderIds, petIds } = await shop(petstore)
      const categoryIds = await allIds(petstore.categories.all())
      for (const [kind, ids] of Object.entries({ pets: petIds, orders: orderIds, categories: categoryIds })) {
        const resource = kind as "pets" | "orders" | "categories"
        const { all } = petstore[resource]
        for (const field of fields) {
          const timed = await byTime(petstore, resource, ids, field)
          const sorted = timed.map(([, id]) => id)
          for (const limit of [1, 2, 100]) {
            assertEqual(await allIds(all({ sort: field, limit })), sorted, `${kind} by ${field}, ${limit} at a time`)
            assertEqual(await allIds(all({ sort: `-${field}`, limit })), sorted.toReversed(), `${kind} by -${field}`)
          }
          for (const [time] of timed) {
            const later = timed.flatMap(([other, id]) => (other > time ? [id] : []))
            const filter = field === "createdAt" ? { createdAfter: time } : { updatedAfter: time }
            assertEqual(await allIds(all({ ...filter, limit: 2 })), later, `${kind} after ${time}`)
            const last = await allIds(all({ ...filter, sort: `-${field}`, limit: 2 }))
            assertEqual(last, later.toReversed(), `${kind} after ${time}, the last first`)
          }
        }
        const timed = await byTime(petstore, resource, ids, "createdAt")
        const before = timed.at(-1)?.[0] ?? ""
        const earlier = timed.flatMap(([time, id]) => (time < before ? [id] : []))
        assertEqual(await allIds(all({ createdBefore: before })), earlier, `${kind} before ${before}`)
        assertEqual(await allIds(all({ createdBefore: before.replace("Z", "+00:00") })), earlier, "in another offset")
        assertEqual(await allIds(all({ createdAfter: before, createdBefore: before })), [], "nothing between")
      }
    }
  ),
  "a list by time takes the other filters, counts, and has records": on(
    ["pets.updatedAt", "orders.createdAt"],
    async (petstore) => {
      const { cats, dogs, petIds } = await shop(petstore)
      for (const filter of [
        { categoryId: dogs },
        { categoryId: cats },
        { status: "pending" as const },
        { id: petIds }
      ]) {
        const expected = await byTime(petstore, "pets", await allIds(petstore.pets.all(filter)), "updatedAt")
        const query = { ...filter, sort: "updatedAt" as const, limit: 2 }
        assertEqual(
          await allIds(petstore.pets.all(query)),
          expected.map(([, id]) => id),
          JSON.stringify(filter)
        )
        const page = await petstore.pets.list({ ...query, count: true, include: "record" })
        assertEqual(page.total, { count: expected.length, isExact: true })
        assertEqual(
          page.items.map(({ record }) => record.updatedAt),
          expected.slice(0, 2).map(([time]) => time)
        )
      }
      for (const filter of [{ state: "open" as const }, { complete: true }, { complete: false }]) {
        const expected = await allIds(petstore.orders.all(filter))
        assertEqual((await allIds(petstore.orders.all({ ...filter, sort: "createdAt" }))).toSorted(), expected)
        assertEqual(
          (await petstore.orders.list({ ...filter, sort: "-createdAt", count: true })).total?.count,
          expected.length
        )
      }
    }
  ),
  "a user sees their own orders alone": on(["orders.createdAt", "orders.metadata.channel"], async (petstore) => {
    const { ada, orderIds } = await shop(petstore)
    const own = await allIds(ada.orders.all())
    assertTrue(own.length < orderIds.length, "there are orders of others")
    assertEqual((await allIds(ada.orders.all({ sort: "-createdAt", limit: 1 }))).toSorted(), own)
    for (const id of orderIds) await petstore.records.update("orders", id, { metadata: { channel: "web" } })
    const metadata = { key: "channel", value: "web" }
    assertEqual(await allIds(petstore.orders.all({ metadata, limit: 2 })), orderIds)
    assertEqual(await allIds(ada.orders.all({ metadata, limit: 2 })), own)
    assertEqual((await ada.orders.list({ metadata, count: true })).total?.count, own.length)
  }),
  "a cursor works with the order and the filters that it is of": on(
    ["pets.createdAt", "pets.updatedAt", "pets.metadata.size"],
    async (petstore) => {
      const { petIds } = await shop(petstore)
      for (const id of petIds) await petstore.records.update("pets", id, { metadata: { size: "s" } })
      const size = { key: "size", value: "s" }
      const { next: cursor = "" } = await petstore.pets.list({ sort: "createdAt", limit: 1 })
      const { next: other = "" } = await petstore.pets.list({ metadata: size, limit: 1 })
      await petstore.pets.list({ sort: "createdAt", cursor })
      await petstore.pets.list({ metadata: size, cursor: other })
      for (const filter of [{ sort: "-createdAt" as const }, { sort: "updatedAt" as const }, {}, { metadata: size }]) {
        await rejectsWith("invalid_cursor", petstore.pets.list({ ...filter, cursor }))
      }
      for (const filter of [{ metadata: { ...size, value: "l" } }, { metadata: size, sort: "-id" as const }, {}]) {
        await rejectsWith("invalid_cursor", petstore.pets.list({ ...filter, cursor: other }))
      }
      await rejectsWith("invalid_cursor", petstore.pets.list({ createdAfter: "2020-01-01T00:00:00Z", cursor }))
    }
  ),
  "resources are found by a value of their metadata until that changes or they end": on(
    ["pets.metadata.chip", "categories.metadata.a.b:c-d_E", "orders.metadata.chip"],
    async (petstore) => {
      const { dogs, petIds, orderIds } = await shop(petstore)
      const [first = 0, second = 0, third = 0] = petIds
      const metadata = { key: "chip", value: "276" }
      const idsWith = (filter: object = {}) => allIds(petstore.pets.all({ metadata, ...filter }))
      assertEqual(await idsWith(), [first])
      await petstore.records.update("pets", third, { metadata: { chip: " 276 " } })
      await petstore.records.update("pets", second, { metadata: { chip: "276", size: "s" } })
      await petstore.records.update("orders", orderIds[0] ?? 0, { metadata: { chip: "276" } })
      assertEqual(await idsWith({ limit: 1 }), [first, second, third])
      assertEqual(await idsWith({ limit: 2, sort: "-id" }), [third, second, first])
      const page = await petstore.pets.list({ metadata, limit: 2, count: true, include: "record" })
      assertEqual([page.total?.count, page.items[1]?.record.metadata.size], [3, "s"])
      await petstore.records.update("pets", first, { metadata: { chip: "277" } })
      await petstore.records.update("pets", second, { metadata: null })
      assertEqual(await idsWith(), [third])
      assertEqual(await allIds(petstore.orders.all({ metadata })), [orderIds[0]])
      await petstore.orders.cancel(orderIds[0] ?? 0)
      assertEqual(await allIds(petstore.orders.all({ metadata })), [])
      await petstore.records.update("categories", dogs, { metadata: { "a.b:c-d_E": "é" } })
      assertEqual(await allIds(petstore.categories.all({ metadata: { key: "a.b:c-d_E", value: "e\u0301" } })), [dogs])
    }
  ),
  "filters that no index has together are refused": on(
    ["pets.createdAt", "pets.updatedAt", "orders.createdAt", "pets.metadata.chip"],
    async (petstore) => {
      const time = "2026-01-01T00:00:00Z"
      const metadata = { key: "chip", value: "1" }
      await rejectsInput(petstore.pets.list({ createdAfter: time, updatedAfter: time }), "/query/updatedAfter")
      await rejectsInput(petstore.pets.list({ createdAfter: time, sort: "id" }), "/query/sort")
      await rejectsInput(petstore.pets.list({ updatedAfter: time, sort: "-createdAt" }), "/query/sort")
      await rejectsInput(petstore.pets.list({ createdAfter: time, name: "R" }), "/query/name")
      await rejectsInput(petstore.pets.list({ createdAfter: "2026" }), "/query/createdAfter")
      await rejectsInput(petstore.orders.list({ sort: "createdAt", petId: 1 }), "/query/petId")
      await rejectsInput(petstore.pets.list({ metadata, status: "sold" }), "/query/status")
      await rejectsInput(petstore.pets.list({ metadata, createdAfter: time }), "/query/createdAfter")
      await rejectsInput(petstore.pets.list({ metadata, sort: "name" }), "/query/sort")
      await rejectsInput(petstore.pets.list({ metadata: { key: "1", value: "1" } }), "/query/metadata/key")
      await rejectsInput(petstore.pets.list({ metadata: { key: "chip", value: "" } }), "/query/metadata/value")
    }
  ),
  "events of a subject are listed in both directions, with their other filters, to whom they are shown": on(
    ["events.subject"],
    async (petstore) => {
      const { ada, orderIds, petIds } = await shop(petstore)
      const listed = async (query: EventListQuery, source: PetstoreApi = petstore) =>
        seqsOf(await collect(source.events.all(query)))
      const log = await collect(petstore.events.all())
      const subjects = [
        ...orderIds.slice(0, 4).map((id) => `orders/${id}`),
        `pets/${petIds[2]}`,
        `inventory/${petIds[4]}`
      ]
      for (const subject of [...subjects, "orders/999"]) {
        const expected = seqsOf(log.filter((event) => event.subject === subject))
        const types = ["order.placed", "pet.updated", "inventory.updated"] as const
        const typed = log.filter((event) => event.subject === subject && types.some((type) => type === event.type))
        for (const limit of [1, 2, 100]) {
          assertEqual(await listed({ subject, limit }), expected, `${subject}, ${limit} at a time`)
          assertEqual(await listed({ subject, limit, sort: "-seq" }), expected.toReversed(), `${subject}, newest first`)
          const seqs = await listed({ subject, limit, types, sort: "-seq" })
          assertEqual(seqs.toReversed(), seqsOf(typed), `${subject} by types`)
        }
        const after = expected[0] ?? 0
        assertEqual(await listed({ subject, after, limit: 1 }), expected.slice(1))
        assertEqual(await listed({ subject, after, limit: 1, sort: "-seq" }), expected.slice(1).toReversed())
        const [since, until] = ["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"]
        assertEqual(await listed({ subject, since, until, sort: "-seq", limit: 1 }), expected.toReversed())
        assertEqual(await listed({ subject, since: until, sort: "-seq" }), [])
        assertEqual(await listed({ subject, until: since }), [])
      }
      const { next: cursor = "" } = await petstore.events.list({
        subject: `orders/${orderIds[1]}`,
        sort: "-seq",
        limit: 1
      })
      await rejectsWith("invalid_cursor", petstore.events.list({ subject: `orders/${orderIds[1]}`, cursor }))
      const own = await allIds(ada.orders.all())
      for (const id of orderIds) {
        const expected = seqsOf(log.filter((event) => event.subject === `orders/${id}`))
        for (const sort of ["seq", "-seq"] as const) {
          const shown = await listed({ subject: `orders/${id}`, sort, limit: 1 }, ada)
          assertEqual(
            shown.toSorted((a, b) => a - b),
            own.includes(id) ? expected : [],
            `order ${id}, to ada`
          )
        }
      }
    }
  ),
  "stock is listed by the units that can be ordered, and by id where they are equal, with the other filters": on(
    ["inventory.available"],
    async (petstore) => {
      const { petIds } = await shop(petstore)
      const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = petIds
      await petstore.inventory.setAll(
        [first, second, third, fourth, fifth].map((petId, index) => ({ petId, quantity: [9, 3, 9, 0, 20][index] ?? 0 }))
      )
      await petstore.pets.update(third, { status: "pending" })
      await petstore.orders.place({ petId: second, quantity: 2 })
      await petstore.pets.delete(await petOf(petstore, 4))
      type Filter = NonNullable<Parameters<typeof petstore.inventory.list>[0]>
      const listed = async (filter: Filter) => (await collect(petstore.inventory.all(filter))).map(({ petId }) => petId)
      const all = (await collect(petstore.inventory.all())).map(({ available = 0, petId, status }) => ({
        available,
        petId,
        status
      }))
      const sorted = all.toSorted((a, b) => a.available - b.available || a.petId - b.petId)
      assertTrue(new Set(sorted.map(({ available }) => available)).size > 3, "several numbers of units")
      const maxima = [undefined, 0, 1, 8, 9, limits.stock]
      for (const status of [undefined, "available", "pending", "sold"] as const) {
        for (const maxAvailable of maxima) {
          const filter = {
            ...(status === undefined ? {} : { status }),
            ...(maxAvailable === undefined ? {} : { maxAvailable })
          }
          const expected = sorted
            .filter(
              (item) => (status ?? item.status) === item.status && item.available <= (maxAvailable ?? limits.stock)
            )
            .map(({ petId }) => petId)
          const about = JSON.stringify(filter)
          for (const limit of [1, 2, 100]) {
            assertEqual(await listed({ ...filter, limit, sort: "available" }), expected, `${about}, ${limit} at a time`)
            assertEqual(await listed({ ...filter, limit, sort: "-available" }), expected.toReversed(), `${about}, most`)
          }
        }
      }
      const { next: cursor = "" } = await petstore.inventory.list({ sort: "available", limit: 1 })
      await rejectsWith("invalid_cursor", petstore.inventory.list({ sort: "-available", cursor }))
      await rejectsWith("invalid_cursor", petstore.inventory.list({ sort: "available", maxAvailable: 3, cursor }))
      await rejectsWith("invalid_cursor", petstore.inventory.list({ cursor }))
      // A pet that has passed the page does not come again, and no other is missed.
      const before = await petstore.inventory.list({ sort: "available", limit: 3 })
      await petstore.inventory.adjust(fifth, { delta: -20, reason: "damaged" })
      const { next = "" } = before
      const after = await listed({ sort: "available", cursor: next })
      assertEqual(
        after,
        sorted
          .map(({ petId }) => petId)
          .filter((petId) => petId !== fifth && !before.items.some((item) => item.petId === petId))
      )
      await petstore.transaction(async (tx) => {
        await tx.inventory.set(first, 50)
        assertEqual((await tx.inventory.list({ sort: "-available", limit: 1 })).items[0]?.petId, first)
      })
    }
  ),
  "lists in a transaction see what it has changed": on(["pets.updatedAt", "pets.metadata.chip"], async (petstore) => {
    const { petIds } = await shop(petstore)
    // Behind all of them, even if a clock stands still.
    const last = petIds.at(-1) ?? 0
    const metadata = { key: "chip", value: "9" }
    await petstore.transaction(async (tx) => {
      await tx.records.update("pets", last, { metadata: { chip: "9" } })
      assertEqual(await allIds(tx.pets.all({ metadata })), [last])
      assertEqual((await tx.pets.list({ sort: "-updatedAt", limit: 1 })).items[0]?.id, last)
    })
    assertEqual(await allIds(petstore.pets.all({ metadata })), [last])
  })
})

/** Opens a petstore with indexes beside one that has data, if the fixture opens another. */
const builtLater = ({ openAnother, openWith }: EmbeddedFixture) =>
  Effect.gen(function* () {
    const petstore = yield* openWith?.({}) ?? Effect.die("the fixture opens no petstore with options")
    const [, id = 0] = (yield* Effect.promise(() => shop(petstore))).petIds
    const metadata = { key: "chip", value: "9" }
    yield* Effect.promise(() => petstore.records.update("pets", id, { metadata: { chip: "9" } }))
    const indexes = ["pets.createdAt", "pets.metadata.chip"] as const
    const another = yield* openAnother?.(petstore, { indexes }) ?? Effect.undefined
    if (another === undefined) return
    yield* Effect.promise(async () => {
      assertEqual((await allIds(another.pets.all({ sort: "createdAt" }))).length, 7)
      assertEqual(await allIds(another.pets.all({ metadata })), [id])
      // Each petstore has its own option.
      await rejectsWith("not_indexed", petstore.pets.list({ sort: "createdAt" }), { name: "pets.createdAt" })
      const pet = await petOf(petstore, 1)
      await petstore.records.update("pets", pet, { metadata: { chip: "9" } })
      assertEqual(await allIds(another.pets.all({ metadata })), [id, pet])
    })
  })

/** Lists by times and by metadata, by the option `indexes`. */
export const recordListCases = (fixture: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  const { buildsIndexes = true, openWith } = fixture
  if (openWith === undefined) return indexed(fixture)
  if (!buildsIndexes) {
    const opened = Effect.exit(openWith({ indexes: ["pets.createdAt"] }))
    const run = Effect.scoped(Effect.map(opened, ({ _tag }) => assertEqual(_tag, "Failure")))
    return [{ group, name: "a storage that builds no indexes refuses the option", run }]
  }
  const name = "an index is built for a store that has data, beside a petstore without it"
  return [...indexed(fixture), { group, name, run: Effect.scoped(builtLater(fixture)) }]
}

/** Without the option. */
export const unindexedCases = petstoreCases("lists without their indexes", {
  "a list by a time or metadata fails and names the option, unless its index is switched on": async (petstore) => {
    const lists: ReadonlyArray<readonly [ListIndex, () => Promise<unknown>]> = [
      ["pets.createdAt", () => petstore.pets.list({ sort: "createdAt" })],
      ["pets.updatedAt", () => petstore.pets.list({ updatedAfter: "2026-01-01T00:00:00Z" })],
      ["categories.createdAt", () => petstore.categories.list({ createdBefore: "2026-01-01T00:00:00Z" })],
      ["orders.updatedAt", () => petstore.orders.list({ sort: "-updatedAt" })],
      ["inventory.available", () => petstore.inventory.list({ sort: "available" })],
      ["inventory.available", () => petstore.inventory.list({ sort: "-available", maxAvailable: 5 })],
      ["events.subject", () => petstore.events.list({ subject: "orders/1", sort: "-seq" })],
      ["orders.metadata.batch", () => petstore.orders.list({ metadata: { key: "batch", value: "7" } })]
    ]
    for (const [index, list] of lists) {
      const error = await list().catch((thrown: unknown) => thrown)
      assertTrue(error instanceof NotIndexed, `${index} is not indexed`)
      await rejectsWith("not_indexed", list(), { name: index })
      assertTrue(String(error).includes(`--indexes ${index}`), "the message names the option")
    }
  }
})
