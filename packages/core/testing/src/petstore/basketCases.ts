import type { PetstoreApi } from "@petstore/core"
import { limits, type NewOrder } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { petOf, unknown } from "./given.ts"
import { assertUnchanged, collect, idsOf, ledger, stockOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const countPlaced = async ({ events }: PetstoreApi) =>
  (await events.list({ types: ["order.placed"], limit: limits.page })).items.length

/** Checks that a basket is rejected, and that neither the pets nor the orders have changed. */
const assertPlacesNone = async (
  petstore: PetstoreApi,
  petIds: ReadonlyArray<number>,
  rejected: () => Promise<void>
): Promise<void> => {
  const before = await collect(petstore.orders.all())
  await assertUnchanged(petstore, petIds, rejected)
  assertEqual(await collect(petstore.orders.all()), before, "the orders")
}

export const basketCases = petstoreCases("baskets", {
  "the orders of a basket are placed in their order, as they would be alone": async (petstore) => {
    const [rex, tom] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const placed = await petstore.orders.placeAll([{ petId: tom, quantity: 2 }, {}, { petId: rex, complete: true }])
    const [first, second, third] = placed
    assertEqual(first, { id: Number(first?.id), petId: tom, quantity: 2, complete: false })
    assertEqual(second, { id: Number(second?.id), complete: false })
    const { shipDate: _, ...complete } = third ?? {}
    assertEqual(complete, { id: Number(third?.id), petId: rex, quantity: 1, complete: true })
    assertTrue(Number(first?.id) < Number(second?.id) && Number(second?.id) < Number(third?.id), "the ids ascend")
    assertEqual(await collect(petstore.orders.all()), placed)
    for (const order of placed) assertEqual(await petstore.orders.get(order.id), { ...order, version: 1 })
    assertEqual((await stockOf(petstore, tom)).available, 3)
    assertEqual((await stockOf(petstore, rex)).quantity, 4)
  },
  "two orders of one pet share its stock, and the one that it does not suffice for rejects both": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const basket = (second: number) => petstore.orders.placeAll([3, second].map((quantity) => ({ petId, quantity })))
    const numbers = { petId, requested: 3, available: 2, index: 1 }
    await assertPlacesNone(petstore, [petId], () => rejectsWith("insufficient_stock", basket(3), numbers))
    await basket(2)
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 5, reserved: 5, available: 0 })
    const moved = (await ledger(petstore, petId)).flatMap(([kind, , units]) => (kind === "reserved" ? [units] : []))
    assertEqual(moved, [3, 2])
  },
  "the first order that is rejected rejects all, with its code and its place": async (petstore) => {
    const [rex, tom] = [await petOf(petstore, 5), await petOf(petstore, 1)]
    await petstore.pets.update(tom, { status: "pending" })
    const { placeAll } = petstore.orders
    const ofUnknown = { petId: unknown, index: 1 }
    const ofHeld = { petId: tom, status: "pending", quantity: 1, index: 2 } as const
    const refusals = [
      () => rejectsWith("unknown_pet", placeAll([{ petId: rex }, { petId: unknown }]), ofUnknown),
      () =>
        rejectsWith("pet_not_available", placeAll([{}, { petId: rex }, { petId: tom }, { complete: true }]), ofHeld),
      () => rejectsWith("order_is_draft", placeAll([{ complete: true }, { petId: tom }]), { index: 0 })
    ]
    for (const refusal of refusals) await assertPlacesNone(petstore, [rex, tom], refusal)
  },
  "every fault of an input is reported with its place, and no order is placed": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const orders = [{ petId }, { petId: 0 }, { petId, quantity: 0, colour: "red" }]
    const places = ["/body/orders/1/petId", "/body/orders/2/quantity", "/body/orders/2/colour"]
    await assertPlacesNone(petstore, [petId], () => rejectsInput(petstore.orders.placeAll(untyped(orders)), ...places))
    for (const wrong of [undefined, null, {}, "x", [1], [null], [[]]]) {
      const place = Array.isArray(wrong) ? "/body/orders/0" : "/body/orders"
      await rejectsInput(petstore.orders.placeAll(untyped(wrong)), place)
    }
  },
  "a basket has 1 to 100 orders": async (petstore) => {
    const petId = await petOf(petstore, 200)
    const ofSize = (length: number): ReadonlyArray<NewOrder> => Array.from({ length }, () => ({ petId }))
    await rejectsInput(petstore.orders.placeAll([]), "/body/orders")
    await rejectsInput(petstore.orders.placeAll(ofSize(101)), "/body/orders")
    assertEqual((await petstore.orders.placeAll(ofSize(100))).length, 100)
    assertEqual((await stockOf(petstore, petId)).reserved, 100)
  },
  "the open orders of a basket expire if it is placed with a time, and complete ones do not": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const once = { idempotencyKey: `5f3a-reserved-${petId}` }
    const lines = [{ petId }, { petId, quantity: 2 }, { petId, complete: true }]
    const placed = await petstore.orders.placeAll(lines, { reserveFor: "1 day", ...once })
    const [first, second, third] = idsOf(placed)
    const reservation = await petstore.orders.reservation(Number(first))
    assertEqual(await petstore.orders.reservation(Number(second)), { ...reservation, orderId: second })
    await rejectsWith("not_found", petstore.orders.reservation(Number(third)))
    assertEqual(await petstore.orders.placeAll(lines, { reserveFor: "1 day", ...once }), placed)
    await rejectsWith("idempotency_key_reused", petstore.orders.placeAll(lines, { reserveFor: "2 days", ...once }))
    await rejectsWith("idempotency_key_reused", petstore.orders.placeAll(lines, once))
  },
  "a draft reserves nothing, so a basket with one cannot be placed with a time": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await assertPlacesNone(petstore, [petId], async () => {
      await rejectsWith("order_is_draft", petstore.orders.placeAll([{ petId }, {}], { reserveFor: "1 day" }), {
        index: 1
      })
      await rejectsInput(petstore.orders.placeAll([{ petId }], { reserveFor: 0 }), "/query/reserveFor")
    })
  },
  "a repeated basket has one effect, and another one with its key is rejected": async (petstore) => {
    const petId = await petOf(petstore, 9)
    const once = { idempotencyKey: "5f3a-basket" }
    const first = await petstore.orders.placeAll([{ petId }, { petId, quantity: 2 }], once)
    const again = [
      { petId, quantity: 1, complete: false },
      { id: unknown, petId, quantity: 2 }
    ]
    assertEqual(await petstore.orders.placeAll(again, once), first)
    assertEqual((await stockOf(petstore, petId)).reserved, 3)
    const others = [[{ petId, quantity: 2 }, { petId }], [{ petId }], [{ petId }, { petId, quantity: 2 }, {}]]
    for (const other of others) await rejectsWith("idempotency_key_reused", petstore.orders.placeAll(other, once))
    await rejectsWith("idempotency_key_reused", petstore.orders.place({ petId }, once))
  },
  "readers see all events of a basket, or none": async (petstore) => {
    const [rex, tom] = [await petOf(petstore, 9), await petOf(petstore, 9)]
    let isOver = false
    const placing = (async () => {
      for (let n = 0; n < 4; n++) await petstore.orders.placeAll([{ petId: rex }, { petId: tom }, {}])
      isOver = true
    })()
    while (!isOver) {
      const seen = await countPlaced(petstore)
      assertEqual(seen % 3, 0, `${seen} events of baskets of three orders`)
      // Reads that end at once would leave no turn of the event loop to commits.
      await new Promise((later) => setTimeout(later))
    }
    await placing
    assertEqual(await countPlaced(petstore), 12)
  },
  "baskets with the same pets in opposite orders all end, and sell what there is": async (petstore) => {
    const pets = [await petOf(petstore, 6), await petOf(petstore, 6), await petOf(petstore, 6)]
    const lines = pets.map((petId) => ({ petId }))
    const calls = Array.from({ length: 10 }, (_, n) =>
      petstore.orders.placeAll(n % 2 === 0 ? lines : lines.toReversed())
    )
    const ends = await Promise.allSettled(calls)
    assertEqual(ends.filter(({ status }) => status === "fulfilled").length, 6)
    for (const end of ends) {
      if (end.status === "rejected") assertEqual(end.reason.code, "insufficient_stock")
    }
    for (const petId of pets) assertEqual((await stockOf(petstore, petId)).available, 0)
  },
  "a user places a basket of their own": async (petstore) => {
    if (!("as" in petstore) || typeof petstore.as !== "function") return
    const ada: PetstoreApi = petstore.as({ user: "ada" })
    const placed = await ada.orders.placeAll([{}, { quantity: 2 }])
    await petstore.orders.place({})
    assertEqual(await collect(ada.orders.all()), placed)
  }
})
