import { type OrderUpdate, parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, stockOf } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

const isTimestamp = (text: string | undefined): boolean =>
  text !== undefined && parseTimestamp(text) !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

export const orderCases = petstoreCases("orders", {
  "an order without any field is a draft that holds no stock": async (petstore) => {
    const draft = await petstore.orders.place({})
    assertTrue(Number.isSafeInteger(draft.id) && draft.id > 0, "the id is a positive whole number")
    assertEqual(draft, { id: draft.id, complete: false, version: 1 })
    assertEqual(await petstore.orders.get(draft.id), draft)
  },
  "an order of a pet is open and reserves its units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await petstore.orders.place({ petId, quantity: 2, complete: false })
    assertEqual(order, { id: order.id, petId, quantity: 2, complete: false, version: 1 })
    assertEqual(await petstore.orders.get(order.id), order)
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 5, reserved: 2, available: 3 })
  },
  "an order that is placed complete ships now if no ship date is given": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await petstore.orders.place({ petId, quantity: 5, complete: true })
    assertTrue(isTimestamp(order.shipDate), "the ship date is filled in")
    const { shipDate: _now, ...rest } = order
    assertEqual(rest, { id: order.id, petId, quantity: 5, complete: true, version: 1 })
    assertEqual(await petstore.orders.get(order.id), order)
    assertEqual(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
  },
  "an order of an unknown pet is rejected, and one without a pet cannot be placed complete": async (petstore) => {
    await rejectsWith("unknown_pet", petstore.orders.place({ petId: unknown }), { petId: unknown })
    await rejectsWith("order_is_draft", petstore.orders.place({ complete: true }))
    assertEqual(await petstore.orders.list(), { items: [] })
  },
  "an order of a pet on hold, or of a sold pet, is rejected with its numbers": async (petstore) => {
    const [held, sold] = [await heldPetOf(petstore, 5), await petOf(petstore, 0)]
    const place = (petId: number) => petstore.orders.place({ petId })
    await assertUnchanged(petstore, [held, sold], async () => {
      await rejectsWith("pet_not_available", place(held), { petId: held, status: "pending", quantity: 5 })
      await rejectsWith("pet_not_available", place(sold), { petId: sold, status: "sold", quantity: 0 })
    })
  },
  "an order of more than the free units is rejected as a whole, with the current numbers": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    const numbers = { petId, requested: 3, available: 2 }
    await assertUnchanged(petstore, [petId], () =>
      rejectsWith("insufficient_stock", petstore.orders.place({ petId, quantity: 3 }), numbers)
    )
    assertEqual((await petstore.orders.list()).items.length, 1)
  },
  "an id that is sent with a new order or an update is ignored": async (petstore) => {
    const first = await petstore.orders.place({})
    const second = await petstore.orders.place({ id: first.id, quantity: 2 })
    assertTrue(second.id > first.id, "the store assigned the id")
    assertEqual((await petstore.orders.update(second.id, { id: first.id, quantity: 3 })).id, second.id)
    assertEqual(await petstore.orders.get(first.id), first)
  },
  "each change of an open order raises its version by one, and one to what it is changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({})
    const open = { id, petId, quantity: 1, complete: false }
    const first = { ...open, shipDate: "2030-01-01T00:00:00.000Z" }
    assertEqual(await petstore.orders.update(id, { petId }), { ...open, version: 2 })
    assertEqual(await petstore.orders.update(id, { shipDate: "2030-01-01T00:00:00Z" }), { ...first, version: 3 })
    await assertUnchanged(petstore, [petId], async () => {
      const same = { petId, quantity: 1, shipDate: "2030-01-01T02:00:00+02:00", complete: false }
      for (const update of [{}, { complete: false }, same]) {
        assertEqual(await petstore.orders.update(id, update), { ...first, version: 3 })
      }
    })
    assertEqual((await petstore.orders.update(id, { shipDate: "2031-01-01T00:00:00Z" })).version, 4)
    assertEqual(await petstore.orders.update(id, { shipDate: null }), { ...open, version: 5 })
    assertEqual(await petstore.orders.get(id), { ...open, version: 5 })
  },
  "no field of a complete order changes, and it cannot be cancelled": async (petstore) => {
    const [petId, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const order = await petstore.orders.place({ petId, quantity: 2, complete: true })
    const changes: ReadonlyArray<OrderUpdate> = [
      { quantity: 1 },
      { petId: other },
      { shipDate: "2031-01-01T00:00:00Z" },
      { shipDate: null },
      { complete: false },
      { quantity: 1, complete: true }
    ]
    await assertUnchanged(petstore, [petId, other], async () => {
      for (const change of changes) {
        await rejectsWith("order_already_complete", petstore.orders.update(order.id, change), { orderId: order.id })
      }
      await rejectsWith("order_already_complete", petstore.orders.cancel(order.id), { orderId: order.id })
    })
    assertEqual(await petstore.orders.get(order.id), order)
  },
  "a ship date with any offset is returned in UTC with milliseconds, and kept when the order completes": async (
    petstore
  ) => {
    const petId = await petOf(petstore, 5)
    const sent = { quantity: 3, shipDate: "2030-06-01T01:30:00+02:00" }
    const stored = { quantity: 3, shipDate: "2030-05-31T23:30:00.000Z" }
    const draft = await petstore.orders.place({ ...sent, complete: false })
    assertEqual(draft, { id: draft.id, ...stored, complete: false, version: 1 })
    assertEqual(await petstore.orders.get(draft.id), draft)
    const { id } = await petstore.orders.place({ ...sent, petId, quantity: 1 })
    const completed = [
      await petstore.orders.complete(id),
      await petstore.orders.place({ ...sent, petId, complete: true, quantity: 1 })
    ]
    for (const { shipDate } of completed) assertEqual(shipDate, stored.shipDate)
  },
  "completing an order ships its units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderOf(petstore, petId, 2)
    const completed = await petstore.orders.complete(id)
    assertTrue(isTimestamp(completed.shipDate), "the ship date is filled in")
    assertEqual(completed, { ...completed, id, petId, quantity: 2, complete: true, version: 2 })
    assertEqual(await petstore.orders.get(id), completed)
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 3, reserved: 0, available: 3 })
  },
  "a draft cannot be completed, and completing a complete order changes nothing": async (petstore) => {
    const draft = await petstore.orders.place({ quantity: 2 })
    await rejectsWith("order_is_draft", petstore.orders.complete(draft.id))
    assertEqual(await petstore.orders.get(draft.id), draft)
    const petId = await petOf(petstore, 5)
    const completed = await petstore.orders.complete(await orderOf(petstore, petId, 2))
    await assertUnchanged(petstore, [petId], async () =>
      assertEqual(await petstore.orders.complete(completed.id), completed)
    )
  },
  "a cancelled order is gone": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const id = await orderOf(petstore, petId, 2)
    await petstore.orders.cancel(id)
    await assertUnchanged(petstore, [petId], async () => {
      await rejectsWith("not_found", petstore.orders.get(id))
      await rejectsWith("not_found", petstore.orders.update(id, { quantity: 1 }))
      await rejectsWith("not_found", petstore.orders.complete(id))
      await rejectsWith("not_found", petstore.orders.cancel(id))
    })
    assertEqual((await petstore.orders.list()).items, [])
  },
  "the id of a cancelled order is never reused": async (petstore) => {
    const { id } = await petstore.orders.place({})
    await petstore.orders.cancel(id)
    const next = await petstore.orders.place({})
    assertTrue(next.id !== id, `${next.id} is not an id that was used before`)
  }
})
