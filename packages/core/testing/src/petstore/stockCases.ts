import { limits, parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { heldPetOf, orderOf, petOf } from "./given.ts"
import { assertUnchanged, collect, ledger, stockOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

export const inventoryCases = petstoreCases("inventory", {
  "an inventory item has quantity, reserved and available units": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 2)
    const { version, ...item } = await petstore.inventory.get(petId)
    assertEqual(item, { petId, quantity: 5, reserved: 2, available: 3, status: "available" })
    assertEqual(version, 3, "the version after setting 5 and reserving 2")
  },
  "a quantity is read as it was set": async (petstore) => {
    const petId = await petOf(petstore, 1)
    for (const quantity of [7, 3, 0, limits.stock, 12, -0]) {
      const item = await petstore.inventory.set(petId, quantity)
      assertTrue(Object.is(item.quantity, quantity + 0), `${quantity} is returned`)
      assertEqual(await petstore.inventory.get(petId), item)
      await assertUnchanged(petstore, [petId], () => petstore.inventory.set(petId, quantity))
    }
  },
  "the ledger has each movement in order, numbered from 1, with its time and actor": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const orderId = await orderOf(petstore, petId, 2)
    await petstore.orders.complete(orderId)
    assertEqual(await ledger(petstore, petId), [
      ["initial", 1, 0],
      ["set", 4, 0],
      ["reserved", 0, 2, orderId],
      ["shipped", -2, -2, orderId]
    ])
    const movements = await collect(petstore.inventory.allMovements(petId))
    for (const [index, { actor, at, petId: of, seq }] of movements.entries()) {
      assertEqual([of, seq], [petId, index + 1])
      const before = movements[index - 1]?.at ?? "0001"
      assertTrue(parseTimestamp(at) !== undefined && at >= before, `${at} is a time, and not before ${before}`)
      assertTrue(actor.length > 0, "each movement has its actor")
    }
  },
  "a quantity below the reserved units is rejected": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await orderOf(petstore, petId, 3)
    await assertUnchanged(petstore, [petId], async () => {
      for (const quantity of [2, 0])
        await rejectsWith("quantity_below_reserved", petstore.inventory.set(petId, quantity), {
          petId,
          quantity,
          reserved: 3
        })
    })
  }
})

export const adjustmentCases = petstoreCases("adjustments of stock", {
  "an adjustment adds units or takes them away, also of a pet on hold": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const item = await petstore.inventory.adjust(petId, { delta: 3, reason: "received" })
    assertEqual(item, await petstore.inventory.get(petId))
    assertEqual(item.quantity, 8)
    await petstore.inventory.adjust(petId, { delta: -8, reason: "damaged" })
    assertEqual(await stockOf(petstore, petId), { status: "sold", quantity: 0, reserved: 0, available: 0 })
    await petstore.inventory.adjust(petId, { delta: 2, reason: "returned" })
    assertEqual(await stockOf(petstore, petId), { status: "available", quantity: 2, reserved: 0, available: 2 })
    const held = await heldPetOf(petstore, 2)
    await petstore.inventory.adjust(held, { delta: 3, reason: "received" })
    assertEqual(await stockOf(petstore, held), { status: "pending", quantity: 5, reserved: 0, available: 0 })
  },
  "of many adjustments at once, none is lost": async (petstore) => {
    const petId = await petOf(petstore, 100)
    const deltas = Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? -index : index))
    await Promise.all(deltas.map((delta) => petstore.inventory.adjust(petId, { delta, reason: "correction" })))
    const sum = deltas.reduce((before, delta) => before + delta, 100)
    assertEqual((await petstore.inventory.get(petId)).quantity, sum)
  },
  "the ledger keeps reason, note, reference and the time at which an adjustment happened, one by one": async (
    petstore
  ) => {
    const [one, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const occurredAt = "2026-05-04T09:15:00.000Z"
    const details = async (petId: number) =>
      (await collect(petstore.inventory.allMovements(petId)))
        .slice(2)
        .map(({ deltaOnHand, kind, note, occurredAt, reference }) => [kind, deltaOnHand, reference, occurredAt, note])
    await petstore.inventory.adjust(one, { delta: 1, reason: "received", reference: " D-4711 ", note: " Late " })
    const call = () =>
      petstore.inventory.adjustAll(
        [
          { petId: one, delta: -1, reason: "damaged", reference: "D-4712", occurredAt: "2026-05-04T11:15:00+02:00" },
          { petId: other, delta: 2, reason: "received", occurredAt },
          { petId: one, delta: 3, reason: "correction", note: "Counted" }
        ],
        { idempotencyKey: "5f3a-scanner" }
      )
    assertEqual(await call(), await call())
    assertEqual(await details(one), [
      ["received", 1, "D-4711", undefined, "Late"],
      ["damaged", -1, "D-4712", occurredAt, undefined],
      ["correction", 3, undefined, undefined, "Counted"]
    ])
    assertEqual(await details(other), [["received", 2, undefined, occurredAt, undefined]])
  },
  "the event of an adjustment has the reason, and no other one does": async (petstore) => {
    const petId = await petOf(petstore, 5)
    await petstore.inventory.adjust(petId, { delta: -2, reason: "damaged", note: "Chewed" })
    await petstore.inventory.set(petId, 9)
    const { items } = await petstore.events.list({ subject: `inventory/${petId}` })
    const reasons = items.map(({ data }) => "reason" in data && data.reason)
    assertEqual(reasons, [false, false, "damaged", false])
  },
  "an adjustment by 0, below the reserved units or 0, or above the largest stock changes nothing": async (petstore) => {
    const [petId, reserved] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    await orderOf(petstore, reserved, 3)
    const adjust = (id: number, delta: number) => petstore.inventory.adjust(id, { delta, reason: "correction" })
    await assertUnchanged(petstore, [petId, reserved], async () => {
      await adjust(petId, 0)
      await rejectsWith("quantity_below_reserved", adjust(petId, -6), { petId, quantity: -1, reserved: 0 })
      await rejectsWith("quantity_below_reserved", adjust(reserved, -3), { petId: reserved, quantity: 2, reserved: 3 })
      const most = { petId, quantity: limits.stock + 1, limit: limits.stock }
      await rejectsWith("stock_limit_exceeded", adjust(petId, limits.stock - 4), most)
    })
    assertEqual((await adjust(reserved, -2)).available, 0)
    assertEqual((await adjust(petId, limits.stock - 5)).quantity, limits.stock)
    assertEqual((await adjust(petId, -limits.stock)).quantity, 0)
  },
  "an adjustment needs a whole number and a known reason, and its details are valid": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const adjust = (fields: object) => petstore.inventory.adjust(petId, untyped(fields))
    await rejectsInput(adjust({}), "/body/delta", "/body/reason")
    await rejectsInput(adjust({ delta: 1.5, reason: "lost" }), "/body/delta", "/body/reason")
    const wrong = {
      note: ["two\nlines", "x".repeat(limits.note + 1), " "],
      reference: ["", "x".repeat(limits.reference + 1)],
      occurredAt: ["yesterday"]
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values)
        await rejectsInput(adjust({ delta: 1, reason: "received", [field]: value }), `/body/${field}`)
  }
})
