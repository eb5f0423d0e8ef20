import type { PetstoreApi } from "@petstore/core"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { orderOf, petOf } from "./given.ts"
import { allIds, collect } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const included = { include: "record" } as const

/** Cancelled orders of two pets and a draft, among orders that go on. */
const givenCancelled = async (petstore: PetstoreApi) => {
  const [petId, otherId] = [await petOf(petstore, 9), await petOf(petstore, 9)]
  const ids: Array<number> = []
  for (const pet of [petId, otherId, petId]) {
    ids.push(await orderOf(petstore, pet))
    await orderOf(petstore, pet)
  }
  ids.push((await petstore.orders.place({})).id)
  for (const id of ids) await petstore.orders.cancel(id)
  return { ids, petId, otherId }
}

export const endedOrderCases = petstoreCases("ended orders", {
  "cancelled orders are listed only if they are asked for, as they were, and are still not found": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const placed = await petstore.orders.place({ petId, quantity: 2, shipDate: "2030-01-02T03:04:05.000Z" })
    await petstore.orders.cancel(placed.id)
    const { version: _, ...order } = placed
    assertEqual((await petstore.orders.list({ state: "cancelled" })).items, [order])
    assertEqual((await petstore.orders.list({ state: "expired" })).items, [])
    assertEqual((await petstore.orders.list()).items, [])
    await rejectsWith("not_found", petstore.orders.get(placed.id))
    await rejectsWith("not_found", petstore.orders.cancel(placed.id))
  },
  "a cancelled order shows when it was cancelled, by whom and why": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const [first, second] = [await orderOf(petstore, petId), await orderOf(petstore, petId)]
    await petstore.orders.cancel(first, { reason: "Found it nearby" })
    await petstore.orders.cancel(second)
    const [one, other] = (await petstore.orders.list({ state: "cancelled", ...included })).items
    const movement = (await collect(petstore.inventory.allMovements(petId))).find(
      ({ kind, orderId }) => kind === "cancelled" && orderId === first
    )
    const { actor, at } = movement ?? {}
    assertEqual(one?.record.ended, { at, actor, reason: "Found it nearby" })
    assertEqual([one?.record.state, one?.record.updatedAt, one?.record.metadata], ["cancelled", at, {}])
    assertEqual(other?.record.ended?.reason, undefined)
  },
  "a reason is one line of 1 to 200 characters": async (petstore) => {
    const { id } = await petstore.orders.place({})
    for (const reason of ["", "x".repeat(201), "one\ntwo"]) {
      await rejectsInput(petstore.orders.cancel(id, { reason }), "/query/reason")
    }
    await petstore.orders.cancel(id, { reason: "x".repeat(200), idempotencyKey: `reason-${id}` })
    await petstore.orders.cancel(id, { reason: "x".repeat(200), idempotencyKey: `reason-${id}` })
    await rejectsWith("idempotency_key_reused", petstore.orders.cancel(id, { idempotencyKey: `reason-${id}` }))
    assertEqual(await allIds(petstore.orders.all({ state: "cancelled" })), [id])
  },
  "lists of cancelled orders have pages of any size, both directions, a pet and a count": async (petstore) => {
    const { ids, otherId, petId } = await givenCancelled(petstore)
    const [first, second, third] = ids
    const state = "cancelled"
    for (const limit of [1, 2, 100]) {
      assertEqual(await allIds(petstore.orders.all({ state, limit })), ids, `pages of ${limit}`)
      assertEqual(
        await allIds(petstore.orders.all({ state, limit, sort: "-id" })),
        ids.toReversed(),
        `pages of ${limit}, reversed`
      )
      assertEqual(await allIds(petstore.orders.all({ state, limit, petId })), [first, third])
    }
    assertEqual(await allIds(petstore.orders.all({ state, petId: otherId, complete: false })), [second])
    assertEqual(await allIds(petstore.orders.all({ state, complete: true })), [])
    const { items, next, total } = await petstore.orders.list({ state, limit: 1, count: true })
    assertEqual([items.length, total], [1, { count: 4, isExact: true }])
    assertTrue(next !== undefined, "there is a next page")
    await rejectsWith("invalid_cursor", petstore.orders.list({ cursor: next ?? "" }))
    await rejectsInput(petstore.orders.list({ state: "gone" as "cancelled" }), "/query/state")
  }
})
