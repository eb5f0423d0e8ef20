import type { PetstoreApi } from "@petstore/core"
import { parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { type EmbeddedBody, embeddedGroup } from "./embeddedGroup.ts"
import { orderOf, petOf, unknown } from "./given.ts"
import { allIds, assertUnchanged, collect, stockOf, typesOf } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const millisOf = async (reservation: ReturnType<PetstoreApi["orders"]["reservation"]>): Promise<number> =>
  parseTimestamp((await reservation).expiresAt) ?? Number.NaN

export const reservationCases = petstoreCases("reservations", {
  "an order that expires is placed as any other, and holds its units until then": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await petstore.orders.place({ petId, quantity: 2 }, { reserveFor: "1 day" })
    assertEqual(order, { id: order.id, petId, quantity: 2, complete: false, version: 1 })
    assertEqual(await petstore.orders.get(order.id), order)
    assertEqual((await stockOf(petstore, petId)).reserved, 2)
    const { expiresAt, orderId } = await petstore.orders.reservation(order.id)
    assertEqual(orderId, order.id)
    assertTrue(parseTimestamp(expiresAt) !== undefined, "the end of the reservation is a time")
    const later = await petstore.orders.place({ petId }, { reserveFor: "2 days" })
    assertTrue((await petstore.orders.reservation(later.id)).expiresAt > expiresAt, "a longer reservation ends later")
  },
  "an order that is placed without a time does not expire": async (petstore) => {
    await rejectsWith("not_found", petstore.orders.reservation(await orderOf(petstore, await petOf(petstore, 5))))
  },
  "a reservation is extended, shortened and removed, and the order stays as it is": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const order = await petstore.orders.place({ petId }, { reserveFor: "2 days" })
    const first = await millisOf(petstore.orders.reservation(order.id))
    const shorter = await petstore.orders.setReservation(order.id, { reserveFor: "1 day" })
    assertEqual(await petstore.orders.reservation(order.id), shorter)
    assertTrue((parseTimestamp(shorter.expiresAt) ?? first) < first, "it ends sooner")
    assertTrue(
      (await millisOf(petstore.orders.setReservation(order.id, { reserveFor: 259_200_000 }))) > first,
      "it ends later"
    )
    await petstore.orders.removeReservation(order.id)
    await petstore.orders.removeReservation(order.id)
    await rejectsWith("not_found", petstore.orders.reservation(order.id))
    assertEqual(await petstore.orders.get(order.id), order)
  },
  "a reservation is set and removed only at the given version": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({ petId }, { reserveFor: "2 days" })
    const { version: first } = await petstore.orders.reservation(id)
    const reserveFor = "1 day" as const
    const { version } = await petstore.orders.setReservation(id, { reserveFor, ifVersion: [1, first] })
    assertTrue(version !== first, "the version is another one")
    for (const ifVersion of [first, [0, 1], []]) {
      await rejectsWith("precondition_failed", petstore.orders.setReservation(id, { reserveFor, ifVersion }))
      await rejectsWith("precondition_failed", petstore.orders.removeReservation(id, { ifVersion }))
    }
    assertEqual((await petstore.orders.reservation(id)).version, version)
    await petstore.orders.removeReservation(id, { ifVersion: version })
    const afresh = { reserveFor, ifVersion: 0, idempotencyKey: `afresh-${id}` }
    const set = await petstore.orders.setReservation(id, afresh)
    assertEqual(await petstore.orders.setReservation(id, afresh), set)
    await rejectsWith("idempotency_key_reused", petstore.orders.setReservation(id, { ...afresh, ifVersion: version }))
    await rejectsWith("not_found", petstore.orders.setReservation(unknown, { reserveFor, ifVersion: 0 }))
  },
  "an order keeps its reservation when its pet or quantity changes": async (petstore) => {
    const [petId, other] = [await petOf(petstore, 5), await petOf(petstore, 5)]
    const { id } = await petstore.orders.place({ petId }, { reserveFor: "1 day" })
    const reservation = await petstore.orders.reservation(id)
    await petstore.orders.update(id, { petId: other, quantity: 3 })
    assertEqual(await petstore.orders.reservation(id), reservation)
  },
  "a draft reserves nothing, so it cannot expire": async (petstore) => {
    await rejectsWith("order_is_draft", petstore.orders.place({}, { reserveFor: "1 day" }))
    assertEqual((await petstore.orders.list()).items, [])
    const { id } = await petstore.orders.place({})
    await rejectsWith("order_is_draft", petstore.orders.setReservation(id, { reserveFor: "1 day" }))
    await rejectsWith("order_is_draft", petstore.orders.removeReservation(id))
    await rejectsWith("not_found", petstore.orders.reservation(id))
  },
  "a complete order has no reservation": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id: orderId } = await petstore.orders.place({ petId }, { reserveFor: "1 day" })
    await petstore.orders.complete(orderId)
    const { id } = await petstore.orders.place({ petId, complete: true }, { reserveFor: "1 day" })
    await rejectsWith("not_found", petstore.orders.reservation(id))
    await assertUnchanged(petstore, [petId], async () => {
      await rejectsWith("order_already_complete", petstore.orders.setReservation(orderId, { reserveFor: 1 }), {
        orderId
      })
      await rejectsWith("order_already_complete", petstore.orders.removeReservation(orderId), { orderId })
    })
  },
  "an order that is unknown or cancelled has no reservation": async (petstore) => {
    const { id } = await petstore.orders.place({ petId: await petOf(petstore, 5) }, { reserveFor: "1 day" })
    await petstore.orders.cancel(id)
    for (const orderId of [unknown, id]) {
      await rejectsWith("not_found", petstore.orders.reservation(orderId))
      await rejectsWith("not_found", petstore.orders.setReservation(orderId, { reserveFor: "1 day" }))
      await rejectsWith("not_found", petstore.orders.removeReservation(orderId))
    }
  },
  "a reservation lasts for 1 millisecond to 365 days": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const { id } = await petstore.orders.place({ petId }, { reserveFor: "365 days" })
    for (const reserveFor of [0, 31_536_000_001]) {
      await rejectsInput(petstore.orders.place({ petId }, { reserveFor }), "/query/reserveFor")
      await rejectsInput(petstore.orders.setReservation(id, { reserveFor }), "/query/reserveFor")
    }
    await rejectsInput(petstore.orders.setReservation(id), "/query/reserveFor")
    assertEqual((await stockOf(petstore, petId)).reserved, 1)
  },
  "an order with another reservation is another request": async (petstore) => {
    const petId = await petOf(petstore, 5)
    const place = (reserveFor: number) =>
      petstore.orders.place({ petId }, { reserveFor, idempotencyKey: `reservation-${petId}` })
    const order = await place(60_000)
    assertEqual(await place(60_000), order)
    await rejectsWith("idempotency_key_reused", place(90_000))
    const extend = () =>
      petstore.orders.setReservation(order.id, { reserveFor: "1 day", idempotencyKey: `extension-${petId}` })
    assertEqual(await extend(), await extend())
  }
})

/** Orders that expire, of one petstore, or of two on one database. */
const expiry: EmbeddedBody = async (petstore, { another, wait }) => {
  const petId = await petOf(petstore, 9)
  const ids: Array<number> = []
  for (const { orders } of [petstore, another, petstore, another]) {
    ids.push((await orders.place({ petId }, { reserveFor: 50 })).id)
  }
  const kept = await petstore.orders.place({ petId }, { reserveFor: "1 day" })
  await wait(async () => (await stockOf(petstore, petId)).reserved === 1)
  for (const id of ids) {
    await rejectsWith("not_found", petstore.orders.get(id))
    const events = await collect(petstore.events.all({ subject: `orders/${id}` }))
    assertEqual(typesOf(events), ["order.placed", "order.expired"])
  }
  assertEqual(await petstore.orders.get(kept.id), kept)
  const movements = await collect(petstore.inventory.allMovements(petId))
  const expired = movements.filter(({ kind }) => kind === "expired")
  assertEqual(expired.length, ids.length)
  const listed = (await petstore.orders.list({ state: "expired", include: "record" })).items
  assertEqual(
    listed.map(({ id, record }) => ({ orderId: id, ...record.ended })),
    expired
      .map(({ actor, at, orderId }) => ({ orderId, at, actor }))
      .sort((one, other) => (one.orderId ?? 0) - (other.orderId ?? 0))
  )
  assertEqual((await petstore.stats()).reservations, { overdue: 0, oldestOverdue: 0, tooLong: 0 })
}

/** Units that only orders hold which are about to expire. */
const handover: EmbeddedBody = async (petstore, { wait }) => {
  const petId = await petOf(petstore, 2)
  for (let order = 0; order < 2; order++) await petstore.orders.place({ petId }, { reserveFor: 50 })
  let placed: number | undefined
  await wait(async () => {
    const place = petstore.orders.place({ petId, quantity: 2 }, { reserveFor: "1 day" })
    placed = await place.then(
      ({ id }) => id,
      () => undefined
    )
    return placed !== undefined
  })
  assertEqual(await allIds(petstore.orders.all()), [placed])
  assertEqual((await stockOf(petstore, petId)).reserved, 2)
}

/** What becomes of orders when their reservations end. */
export const expiryCases = embeddedGroup("reservations that end", {
  "an order that is not completed in time expires, once, and others do not": { body: expiry },
  "each order expires once, whichever petstore of a database finds it overdue": { body: expiry, needsAnother: true },
  "units of orders that are overdue can be ordered": { body: handover }
})
