import type { Petstore, PetstoreApi } from "@petstore/core"
import { assertEqual, assertTrue } from "../check.ts"
import { type PetstoreCases, petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { allIds, assertUnchanged, collect, stockOf, typesOf } from "./inspect.ts"
import type { PetstoreFixture } from "./PetstoreFixture.ts"
import { recordEvents } from "./recordEvents.ts"
import { rejectsWith } from "./rejections.ts"

type Actors = (user: string) => Promise<PetstoreApi>

const actsAs = (petstore: PetstoreApi): petstore is Petstore => "as" in petstore

const asOf = async (petstore: PetstoreApi, user: string): Promise<PetstoreApi> => {
  if (!actsAs(petstore)) throw new TypeError("Give the fixture of this petstore the property `as`")
  return petstore.as({ user })
}

const idsIn = ({ orders }: PetstoreApi, filter = {}) => allIds(orders.all(filter))

const bodies: Readonly<Record<string, (petstore: PetstoreApi, as: Actors) => Promise<void>>> = {
  "a user places, reads, lists, changes, completes and cancels their own orders": async (petstore, as) => {
    const ada = await as("ada")
    const petId = await petOf(petstore, 9)
    const placed = await ada.orders.place({ petId, quantity: 2 })
    assertEqual(placed, { id: placed.id, petId, quantity: 2, complete: false, version: 1 })
    assertEqual(await ada.orders.get(placed.id), placed)
    const updated = await ada.orders.update(placed.id, { quantity: 3 }, { ifVersion: 1 })
    assertEqual(updated, { ...placed, quantity: 3, version: 2 })
    const other = await ada.orders.place({})
    assertEqual(await idsIn(ada), [placed.id, other.id])
    assertEqual((await ada.orders.complete(placed.id)).complete, true)
    await ada.orders.cancel(other.id)
    await rejectsWith("not_found", ada.orders.get(other.id))
    assertEqual(await idsIn(ada), [placed.id])
  },
  "whose an order is, its record shows to those who see all orders": async (petstore, as) => {
    const ada = await as("ada")
    const { id } = await ada.orders.place({})
    const included = { include: "record" } as const
    const { record } = await petstore.orders.get(id, included)
    assertTrue(record.owner !== undefined, "the order has an owner")
    assertEqual((await petstore.orders.list({ sort: "-id", ...included })).items[0]?.record.owner, record.owner)
    const { owner: _, ...rest } = record
    assertEqual((await ada.orders.get(id, included)).record, rest)
    assertEqual((await ada.orders.list(included)).items[0]?.record, rest)
  },
  "a user lists their own cancelled orders alone, and sees why but not who": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const petId = await petOf(petstore, 9)
    const own = [await orderOf(ada, petId), await orderOf(ada, petId)]
    const foreign = await orderOf(bob, petId)
    for (const id of [...own, foreign]) await petstore.orders.cancel(id, { reason: "Out of stock" })
    const state = "cancelled"
    assertEqual(await idsIn(ada, { state, limit: 1 }), own)
    assertEqual(await idsIn(ada, { state, petId, sort: "-id" }), own.toReversed())
    assertEqual((await ada.orders.list({ state, count: true })).total, { count: 2, isExact: true })
    const [shown] = (await ada.orders.list({ state, include: "record" })).items
    const [whole] = (await petstore.orders.list({ state, include: "record" })).items
    const { actor, ...ended } = whole?.record.ended ?? { at: "" }
    assertTrue(actor !== undefined && whole?.record.owner !== undefined, "the store sees who it was")
    assertEqual([shown?.record.ended, shown?.record.owner], [ended, undefined])
  },
  "to a user, the orders of others do not exist, and stay as they are": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const petId = await petOf(petstore, 9)
    for (const orderId of [await orderOf(ada, petId, 2), await orderOf(petstore, petId, 2)]) {
      const order = await petstore.orders.get(orderId)
      await assertUnchanged(petstore, [petId], async () => {
        for (const call of [
          () => bob.orders.get(orderId),
          () => bob.orders.update(orderId, { quantity: 1 }),
          () => bob.orders.update(orderId, { quantity: 1 }, { ifVersion: 1 }),
          () => bob.orders.update(orderId, { quantity: 1 }, { ifVersion: 9 }),
          () => bob.orders.update(orderId, { petId: 999 }),
          () => bob.orders.complete(orderId),
          () => bob.orders.cancel(orderId),
          () => bob.orders.cancel(orderId, { ifVersion: 9 })
        ]) {
          await rejectsWith("not_found", call())
        }
      })
      assertEqual(await petstore.orders.get(orderId), order)
    }
  },
  "to a user, the records of others' orders do not exist": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const orderId = await orderOf(ada, await petOf(petstore, 9))
    const record = await petstore.records.update("orders", orderId, { externalId: "A", metadata: { gift: "yes" } })
    assertEqual(await ada.records.get("orders", orderId), record)
    assertEqual(await ada.records.getByExternalId("orders", "A"), record)
    await rejectsWith("not_found", bob.records.get("orders", orderId))
    await rejectsWith("not_found", bob.records.getByExternalId("orders", "A"))
  },
  "a list of a user has their own orders alone, whatever its pages and filters": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const petId = await petOf(petstore, 99)
    const own: Array<number> = []
    const all: Array<number> = []
    for (let n = 0; n < 4; n++) {
      const order = await orderOf(ada, petId)
      own.push(order)
      all.push(order, await orderOf(bob, petId), (await petstore.orders.place({})).id)
    }
    const last = own.at(-1) ?? 0
    await ada.orders.complete(last)
    assertEqual(await idsIn(ada), own)
    assertEqual(await idsIn(ada, { limit: 1 }), own)
    assertEqual(await idsIn(ada, { limit: 3, petId }), own)
    assertEqual(await idsIn(ada, { complete: true }), [last])
    assertEqual(await idsIn(ada, { complete: false, petId, limit: 2 }), own.slice(0, -1))
    assertEqual((await ada.orders.list({ limit: 4 })).next, undefined, "the cursor of the last page")
    assertEqual(await idsIn(petstore), all)
    const { next } = await petstore.orders.list({ limit: 2 })
    assertTrue(next !== undefined, "there is a next page")
    assertEqual(await idsIn(ada, { cursor: next }), own.slice(1))
    assertEqual(await idsIn(await as("carl")), [])
  },
  "two users may choose the same idempotency key": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const petId = await petOf(petstore, 9)
    const place = (api: PetstoreApi) => api.orders.place({ petId, quantity: 2 }, { idempotencyKey: "cart-7" })
    const first = await place(ada)
    const second = await place(bob)
    assertTrue(first.id !== second.id, "they are two orders")
    assertEqual(await place(ada), first)
    assertEqual(await place(bob), second)
    await rejectsWith("idempotency_key_reused", bob.orders.place({}, { idempotencyKey: "cart-7" }))
    assertEqual([await idsIn(ada), await idsIn(bob)], [[first.id], [second.id]])
    assertEqual((await stockOf(petstore, petId)).reserved, 4)
  },
  "a user gets the events of their own orders alone, cancelled ones included": async (petstore, as) => {
    const [ada, bob] = [await as("ada"), await as("bob")]
    const petId = await petOf(petstore, 99)
    const live = await recordEvents(ada)
    const first = await orderOf(ada, petId)
    const foreign = await orderOf(bob, petId)
    await petstore.orders.place({})
    await bob.orders.cancel(foreign)
    await ada.orders.update(first, { quantity: 2 })
    const second = await orderOf(ada, petId)
    await ada.orders.cancel(first)
    await ada.orders.complete(second)
    await petstore.inventory.set(petId, 50)
    const all = await collect(petstore.events.all())
    const own = all.filter(({ subject }) => [`orders/${first}`, `orders/${second}`].includes(subject))
    assertEqual(typesOf(own), ["order.placed", "order.updated", "order.placed", "order.cancelled", "order.completed"])
    assertEqual(await collect(ada.events.all()), own)
    assertEqual(await collect(ada.events.all({ limit: 1 })), own)
    assertEqual((await ada.events.list({ limit: 2 })).items, own.slice(0, 2))
    assertEqual(await collect(ada.events.all({ types: ["order.cancelled"] })), [own[3]])
    assertEqual(await collect(ada.events.all({ subject: `orders/${second}` })), [own[2], own[4]])
    assertEqual(await collect(ada.events.all({ subject: `orders/${foreign}` })), [])
    assertEqual(await collect(ada.events.all({ after: own[2]?.seq ?? 0 })), own.slice(3))
    await live.untilHandled(own[4]?.seq ?? 0)
    assertEqual(live.received, own)
    live.subscription.close()
    const resumed = await recordEvents(ada, { after: own[1]?.seq ?? 0, types: ["order.placed", "order.completed"] })
    await resumed.untilHandled(own[4]?.seq ?? 0)
    assertEqual(resumed.received, [own[2], own[4]])
    const third = await orderOf(ada, petId)
    const [placed] = (await ada.events.list({ subject: `orders/${third}` })).items
    await resumed.untilHandled(placed?.seq ?? 0)
    assertEqual(resumed.received.slice(2), [placed])
    resumed.subscription.close()
    assertEqual(await collect((await as("carl")).events.all()), [])
  },
  "no order and no event shows whom an order belongs to": async (petstore, as) => {
    const ada = await as("ada")
    const { id } = await ada.orders.place({ quantity: 2 })
    await petstore.orders.update(id, { quantity: 3 })
    assertEqual(await petstore.orders.get(id), { id, quantity: 3, complete: false, version: 2 })
    assertEqual((await petstore.orders.list()).items, [{ id, quantity: 3, complete: false }])
    const data = { id, quantity: 3, complete: false, state: "draft", version: 2 }
    assertEqual((await ada.events.list()).items.at(-1)?.data, data)
    await petstore.orders.cancel(id)
    assertEqual((await ada.events.list()).items.at(-1)?.data, { id })
  }
}

/** What users can do with orders: with their own, and no others. */
export const ownOrderCases: PetstoreCases = <A extends PetstoreApi>(fixture: PetstoreFixture<A>) => {
  const { as = asOf } = fixture
  const cases = Object.entries(bodies).map(
    ([name, body]) => [name, (petstore: A) => body(petstore, (user) => as(petstore, user))] as const
  )
  return petstoreCases<A>("own orders", Object.fromEntries(cases))(fixture)
}
