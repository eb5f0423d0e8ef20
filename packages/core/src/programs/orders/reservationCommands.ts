import type { ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { NotFound, type PreconditionFailed } from "../../domain/errors/RequestErrors.ts"
import type { NewEvent } from "../../domain/events/Event.ts"
import type { Movement } from "../../domain/inventory/Movement.ts"
import * as Rules from "../../domain/orders/Order.ts"
import type { OrderAlreadyComplete, OrderIsDraft } from "../../domain/orders/OrderErrors.ts"
import { type Reservation, reserveMillis } from "../../domain/orders/Reservation.ts"
import { formatTimestamp, plusMillis } from "../../domain/Timestamp.ts"
import { type Command, fail, Known, orFail } from "../../kernel/Command.ts"
import { endingOf, endings, ledger, orders, overdueOrders, pets } from "../../tables/index.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"
import type { Call } from "../Call.ts"
import type { ReserveOptions, Versioned } from "../Options.ts"
import { checkVersion, type Precondition } from "../precondition.ts"
import { removeRecords } from "../records/recordCommands.ts"
import { isVisible, lockPets, saveStocks, stockOf, withPet } from "./orderCommands.ts"

/** A reservation, whose version is its time in milliseconds. */
export const toReservation = (orderId: number, expiresAt: string): Versioned<Reservation> => ({
  orderId,
  expiresAt,
  version: Date.parse(expiresAt)
})

const none = new Known(undefined)

/** Fails for a time that no order can be held for. A repetition with another one is rejected as such. */
export const checkReserveFor = (options: ReserveOptions | undefined) =>
  options?.reserveFor === undefined ? none : orFail(reserveMillis(options.reserveFor))

/** When an order expires that holds its units from now on: after `reserveFor`, else as the policy says. Fails if neither does. */
export function* expiryOf(call: Call, options: ReserveOptions | undefined): Command<string, ValidationFailed> {
  const { expireAfter } = call.shared.expiries.policy
  const wanted = yield* orFail(reserveMillis(options?.reserveFor ?? expireAfter))
  const isCapped = call.principal.ownOnly === true && expireAfter !== undefined
  const longest = isCapped ? yield* orFail(reserveMillis(expireAfter)) : wanted
  const expiresAt = plusMillis(formatTimestamp(call.storeMillis()), Math.min(wanted, longest))
  call.shared.expiries.expect(expiresAt)
  return expiresAt
}

/** The same of an order that need not expire: undefined if neither says when. */
export const perhapsExpiryOf = (call: Call, options?: ReserveOptions) =>
  (options?.reserveFor ?? call.shared.expiries.policy.expireAfter) === undefined ? none : expiryOf(call, options)

/**
 * Sets when an open order expires: never, if undefined. The order itself stays as it is, and so does its version. The condition is about
 * the reservation: version 0 is that of an order that does not expire.
 */
export function* setExpiry(
  call: Call,
  id: number,
  expiresAt: string | undefined,
  options?: Precondition
): Command<{ readonly id: number }, NotFound | PreconditionFailed | OrderIsDraft | OrderAlreadyComplete> {
  const record = yield* call.tx.lock(orders, id)
  if (record === undefined || !isVisible(record, call.principal)) return yield* fail(NotFound.of("order", id))
  const before = record.order.expiresAt
  yield* orFail(checkVersion(before === undefined ? 0 : toReservation(id, before).version, options))
  const order = yield* orFail(Rules.reserveUntil(id, record.order, expiresAt))
  if (order.expiresAt !== before) call.tx.save(orders, { ...record, order })
  return { id }
}

/** Expires locked orders that are overdue, and returns how many. Locks their pets in ascending id before it changes one. */
function* expireLocked(call: Call, locked: ReadonlyArray<OrderRecord>, now: string): Command<number> {
  const { tx } = call
  const overdue = locked.filter(({ order }) => Rules.isOverdue(order, now))
  yield* tx.lockAll(
    pets,
    overdue.flatMap(({ order: { petId } }) => petId ?? [])
  )
  const at = call.now()
  const expired: Array<OrderRecord> = []
  const movements: Array<Movement> = []
  const events: Array<NewEvent> = []
  for (const record of overdue) {
    const ofOrder = yield* lockPets(call, record.order.petId)
    const decision = yield* orFail(withPet(Rules.expire(record.order, stockOf(ofOrder), now)))
    const after = { ...record, order: decision.order, version: record.version + 1, updatedAt: at }
    const effects = saveStocks(call, at, after, decision, ofOrder)
    expired.push(after)
    movements.push(...effects.movements)
    events.push(...effects.events)
  }
  // What goes to one table follows one another, so that a store needs few statements.
  for (const order of expired) tx.save(orders, order)
  for (const order of expired) tx.add(endings, endingOf(order, call.actor))
  tx.append(ledger, movements)
  call.record(at, events)
  yield* removeRecords(
    call,
    "orders",
    overdue.map(({ id }) => id)
  )
  return overdue.length
}

/** Expires the orders that have been overdue for the longest, except those that others have locked. Returns how many. */
export function* expireSome(call: Call, now: string, limit: number): Command<number> {
  return yield* expireLocked(call, yield* call.tx.claim(overdueOrders, now, limit), now)
}

/** Expires those of some orders that are still overdue when they are locked. */
export function* expireThese(call: Call, ids: ReadonlyArray<number>, now: string): Command<number> {
  const locked = yield* call.tx.lockAll(orders, ids)
  return yield* expireLocked(call, [...locked.values()], now)
}
