import { limits } from "@petstore/core/domain"
import { assertEqual } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf, unknown } from "./given.ts"
import { assertUnchanged, collect, movementsOf, stockOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

export const adjustmentCases = petstoreCases("adjustments of stock", {
  "an adjustment adds units or takes them away": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const item = await petstore.inventory.adjust(petId, { delta: 3, reason: "received" })
    assertEqual(item, await petstore.inventory.get(petId))
    assertEqual(item.quantity, 8)
    await petstore.inventory.adjust(petId, { delta: -8, reason: "damaged" })
    assertEqual(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
    await petstore.inventory.adjust(petId, { delta: 2, reason: "returned" })
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 2, reserved: 0, available: 2 })
  },
  "of many adjustments at once, none is lost": async (petstore) => {
    const petId = await petOf(petstore, 100)
    const deltas = Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? -index : index))
    await Promise.all(deltas.map((delta) => petstore.inventory.adjust(petId, { delta, reason: "correction" })))
    const sum = deltas.reduce((before, delta) => before + delta, 100)
    assertEqual((await petstore.inventory.get(petId)).quantity, sum)
  },
  "the ledger keeps the reason and the note, trimmed": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const moved = await movementsOf(petstore, petId, async () => {
      await petstore.inventory.adjust(petId, { delta: 4, reason: "received", note: " Delivery 4711 " })
      await petstore.inventory.adjust(petId, { delta: -1, reason: "correction" })
    })
    assertEqual(moved, [
      ["received", 4, 0],
      ["correction", -1, 0]
    ])
    const movements = await collect(petstore.inventory.allMovements(petId))
    assertEqual(
      movements.map(({ note }) => note),
      [undefined, undefined, "Delivery 4711", undefined]
    )
  },
  "the ledger keeps the reference and the time at which an adjustment happened, one by one": async (petstore) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const occurredAt = "2026-05-04T09:15:00.000Z"
    const details = (petId: number) =>
      collect(petstore.inventory.allMovements(petId)).then((all) =>
        all.slice(2).map(({ note, occurredAt, reference }) => [reference, occurredAt, note])
      )
    await petstore.inventory.adjust(one, { delta: 1, reason: "received", reference: " D-4711 " })
    const call = () =>
      petstore.inventory.adjustAll(
        [
          { petId: one, delta: -1, reason: "damaged", reference: "D-4712", occurredAt: "2026-05-04T11:15:00+02:00" },
          { petId: other, delta: 2, reason: "received", occurredAt },
          { petId: one, delta: 3, reason: "received", reference: "D-4713", note: "Late" }
        ],
        { idempotencyKey: "5f3a-scanner" }
      )
    assertEqual(await call(), await call())
    assertEqual(await details(one), [
      ["D-4711", undefined, undefined],
      ["D-4712", occurredAt, undefined],
      ["D-4713", undefined, "Late"]
    ])
    assertEqual(await details(other), [[undefined, occurredAt, undefined]])
  },
  "the event of an adjustment has the reason, and no other one does": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await petstore.inventory.adjust(petId, { delta: -2, reason: "damaged", note: "Chewed" })
    await petstore.inventory.set(petId, 9)
    const { items } = await petstore.events.list({ subject: `inventory/${petId}` })
    assertEqual(
      items.map(({ data }) => "reason" in data && data.reason),
      [false, false, "damaged", false]
    )
  },
  "an adjustment by 0 changes nothing": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await assertUnchanged(petstore, [petId], () =>
      petstore.inventory.adjust(petId, { delta: 0, reason: "correction", note: "Counted" })
    )
  },
  "an adjustment below the reserved units is rejected": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    await assertUnchanged(petstore, [petId], async () => {
      const details = { petId, quantity: 2, reserved: 3 }
      await rejectsWith(
        "quantity_below_reserved",
        petstore.inventory.adjust(petId, { delta: -3, reason: "damaged" }),
        details
      )
    })
    await petstore.inventory.adjust(petId, { delta: -2, reason: "damaged" })
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 3, reserved: 3, available: 0 })
  },
  "an adjustment below 0 or above the largest stock is rejected": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const adjust = (delta: number) => petstore.inventory.adjust(petId, { delta, reason: "correction" })
    await assertUnchanged(petstore, [petId], async () => {
      await rejectsWith("quantity_below_reserved", adjust(-6), { petId, quantity: -1, reserved: 0 })
      const most = { petId, quantity: limits.stock + 1, limit: limits.stock }
      await rejectsWith("stock_limit_exceeded", adjust(limits.stock - 4), most)
    })
    assertEqual((await adjust(limits.stock - 5)).quantity, limits.stock)
    assertEqual((await adjust(-limits.stock)).quantity, 0)
  },
  "a pet on hold is adjusted and stays on hold": async (petstore) => {
    const petId = await heldPetOf(petstore, 2)
    await petstore.inventory.adjust(petId, { delta: 3, reason: "received" })
    assertEqual(await stockOf(petstore, petId), { status: "pending", quantity: 5, reserved: 0, available: 0 })
  },
  "an adjustment with a key is made once": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const adjust = (delta: number) =>
      petstore.inventory.adjust(petId, { delta, reason: "received" }, { idempotencyKey: "delivery-1" })
    const first = await adjust(3)
    assertEqual(await adjust(3), first)
    assertEqual((await petstore.inventory.get(petId)).quantity, 8)
    await rejectsWith("idempotency_key_reused", adjust(4))
  },
  "an adjustment needs a pet, a whole number and a known reason": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await rejectsWith("not_found", petstore.inventory.adjust(unknown, { delta: 1, reason: "received" }))
    const adjust = (adjustment: object) => petstore.inventory.adjust(petId, adjustment as never)
    await rejectsInput(adjust({}), "/body/delta", "/body/reason")
    await rejectsInput(adjust({ delta: 1.5, reason: "lost" }), "/body/delta", "/body/reason")
    await rejectsInput(adjust({ delta: 1, reason: "received", note: "two\nlines" }), "/body/note")
    await rejectsInput(adjust({ delta: 1, reason: "received", note: "x".repeat(limits.note + 1) }), "/body/note")
    await rejectsInput(adjust({ delta: 1, reason: "received", note: " " }), "/body/note")
    await rejectsInput(adjust({ delta: 1, reason: "received", reference: "" }), "/body/reference")
    await rejectsInput(
      adjust({ delta: 1, reason: "received", reference: "x".repeat(limits.reference + 1) }),
      "/body/reference"
    )
    await rejectsInput(adjust({ delta: 1, reason: "received", occurredAt: "yesterday" }), "/body/occurredAt")
  }
})
