import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { type PrincipalInfo, visibleOwner } from "../access/Principal.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import { fail } from "../engine/Command.ts"
import { changeOf, once } from "../idempotency/once.ts"
import type {
  Include,
  IncludedOrderRecord,
  IncludedRecord,
  IncludeOption,
  Shown,
  ShownPage
} from "../records/IncludedRecord.ts"
import type { Metadata } from "../records/ResourceRecord.ts"
import { pageWithRecords, removeRecord, withRecord } from "../records/recordCommands.ts"
import type { Call, Reading } from "../services/Call.ts"
import { found } from "../services/found.ts"
import { checkCancellation, checkOrder } from "../services/hostRules.ts"
import type { CallOptions, ChangeOptions, ReserveOptions, Versioned } from "../services/Options.ts"
import { pageOf } from "../services/pagination.ts"
import type { Precondition } from "../services/precondition.ts"
import { ordersBy, ordersReversedBy } from "../tables/index.ts"
import type { NewOrder, Order, OrderUpdate, StockOf } from "./Order.ts"
import * as Rules from "./Order.ts"
import type { OrderFilter } from "./OrderFilter.ts"
import type { OwnerHoldings } from "./OrderLimits.ts"
import { ownerIn } from "./OrderState.ts"
import { change, isCounted, place, placeAll, toVersioned, withPet } from "./orderCommands.ts"
import type { OrderRecord } from "./orderTable.ts"
import type { Reservation } from "./Reservation.ts"
import { checkReserveFor, expiryOf, perhapsExpiryOf, setExpiry, toReservation } from "./reservationCommands.ts"
import { findVisible, requireVisible } from "./visibleOrder.ts"

/** The methods of `petstore.orders`: drafts, open orders and complete ones. */
export interface OrderMethods<Options extends CallOptions = CallOptions, M extends Metadata = Metadata> {
  /**
   * Places an order and reserves stock for it, with `reserveFor` until it expires. Without a pet the order is a draft; with
   * `complete: true` it ships at once. Fails with `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_is_draft`,
   * `order_limit_exceeded`.
   */
  place(order: NewOrder, options?: ReserveOptions & Options): Promise<Versioned<Order>>
  /**
   * Places 1 to 100 orders, such as those of a shopping cart: all of them, or none. Each sees the ones before it, so that two orders of
   * one pet share its stock. Fails as `place` does for the first order that is rejected; `details.index` is its place, from 0.
   * @beta
   */
  placeAll(orders: ReadonlyArray<NewOrder>, options?: ReserveOptions & Options): Promise<ReadonlyArray<Order>>
  /** Reads an order. Fails with `not_found`. */
  get<I extends Include = undefined>(
    orderId: number,
    options?: IncludeOption<I> & Options
  ): Promise<Shown<Versioned<Order>, IncludedOrderRecord<M>, I>>
  /** Lists one page of orders without cancelled ones: in ascending order of ids, or as `sort` says. */
  list<I extends Include = undefined>(
    filter?: OrderFilter & IncludeOption<I>,
    options?: Options
  ): Promise<ShownPage<Order, IncludedOrderRecord<M>, I>>
  /** Iterates over all orders, a page at a time. */
  all<I extends Include = undefined>(
    filter?: OrderFilter & IncludeOption<I>,
    options?: Options
  ): AsyncIterable<Shown<Order, IncludedOrderRecord<M>, I>>
  /**
   * Updates the fields that are present, and the reservation with them. Fails with `not_found`, `precondition_failed`,
   * `unknown_pet`, `pet_not_available`, `insufficient_stock`, `order_limit_exceeded`, `order_is_draft`, `order_already_complete`.
   */
  update(orderId: number, update: OrderUpdate, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Ships an order; a complete order stays as it is. Fails with `not_found`, `precondition_failed`, `order_is_draft`. */
  complete(orderId: number, options?: ChangeOptions & Options): Promise<Versioned<Order>>
  /** Cancels an order and releases its stock; from then on it is not found. Fails with `not_found`, `precondition_failed`, `order_already_complete`. */
  cancel(orderId: number, options?: ChangeOptions & Options): Promise<void>
  /**
   * Reads when an open order expires. Fails with `not_found`, also if it does not expire.
   * @beta
   */
  reservation(orderId: number, options?: Options): Promise<Versioned<Reservation>>
  /**
   * Sets how long an open order holds its units, starting now. The order and its version stay as they are. `ifVersion` is that of the
   * reservation, or 0 to set one only if the order does not expire. Fails with `not_found`,
   * `precondition_failed`, `order_is_draft`, `order_already_complete`.
   * @beta
   */
  setReservation(orderId: number, options?: ReserveOptions & ChangeOptions & Options): Promise<Versioned<Reservation>>
  /**
   * Lets an open order hold its units until it is completed or cancelled. `ifVersion` is that of the reservation. Fails with `not_found`,
   * `precondition_failed`, `order_is_draft`, `order_already_complete`.
   * @beta
   */
  removeReservation(orderId: number, options?: ChangeOptions & Options): Promise<void>
}

/** An order that exists for the caller. */
const visible = (reading: Reading, id: number) => found("order", id, findVisible(reading, id))

/** What is recorded about an order. Only who sees all orders sees whose they are. */
const orderRecord = (
  { hidesOwners, ownOnly }: PrincipalInfo,
  { order: { expiresAt, state }, owner }: OrderRecord,
  record: IncludedRecord
): IncludedOrderRecord => ({
  ...record,
  state,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(owner === undefined || hidesOwners === true || ownOnly === true ? {} : { owner: ownerIn(owner) })
})

/** What reads orders. */
export const orderQueries = {
  *get(reading: Reading, id: number, { include }: IncludeOption = {}) {
    if (include !== undefined) yield* reading.rows.together()
    const row = yield* visible(reading, id)
    const shown = toVersioned(row)
    if (include === undefined) return shown
    const { record } = yield* withRecord(reading, "orders", row, {})
    return { ...shown, record: orderRecord(reading.principal, row, record) }
  },

  *list(reading: Reading, { include, ...filter }: OrderFilter & IncludeOption = {}) {
    const { principal, rows } = reading
    const { complete, count = false, petId, sort = "id", state, ...query } = filter
    const filters = { petId, complete, state }
    const asked = { ...filters, owner: visibleOwner(principal) }
    const isReversed = sort === "-id"
    if (count || include !== undefined) yield* rows.together()
    const page = yield* pageOf(query, {
      list: "orders",
      filters: { ...filters, sort: isReversed ? sort : undefined },
      start: isReversed ? Number.POSITIVE_INFINITY : 0,
      rows: (after, limit) => rows.all(isReversed ? ordersReversedBy : ordersBy, { ...asked, after }, limit),
      position: (record) => record.id,
      item: (row) => row,
      count: count ? (most) => rows.count(ordersBy, { ...asked, after: 0 }, most) : undefined
    })
    const toOrder = ({ id, order }: OrderRecord) => Rules.toOrder(id, order)
    return include === undefined
      ? { ...page, items: page.items.map(toOrder) }
      : yield* pageWithRecords(reading, "orders", page, (row, record) => ({
          ...toOrder(row),
          record: orderRecord(principal, row, record)
        }))
  },

  *reservation(reading: Reading, orderId: number) {
    const { expiresAt } = (yield* visible(reading, orderId)).order
    if (expiresAt === undefined) return yield* fail(new NotFound({}, { message: `Order ${orderId} does not expire.` }))
    return toReservation(orderId, expiresAt)
  }
}

/** What repetitions of a change have in common. By a caller for whom the order does not exist, it is another request. */
const changeBy = (call: Call, id: number, options: Precondition | undefined, update?: object) => ({
  ...changeOf(id, options, update),
  owner: visibleOwner(call.principal)
})

function* amend(call: Call, id: number, input: OrderUpdate, options?: ChangeOptions) {
  yield* once(call, "orders.update", options, () => changeBy(call, id, options, input))
  yield* requireVisible(call, id)
  // Of a draft that gets a pet.
  const expiresAt = input.petId === undefined ? undefined : yield* perhapsExpiryOf(call)
  const decide = ({ order }: OrderRecord, stocks: StockOf, at: string, holdings: OwnerHoldings | undefined) => {
    const decision = Rules.amend(id, order, input, stocks, at, expiresAt)
    return holdings === undefined ? decision : Result.flatMap(decision, (one) => holdings.count(one, order))
  }
  const check = call.rules.order && checkOrder
  return toVersioned(yield* change(call, id, options, input.petId, isCounted(call, input), decide, check))
}

/** The commands that change orders. */
export const orderCommands = {
  *place(call: Call, input: NewOrder, options?: ReserveOptions) {
    yield* checkReserveFor(options)
    yield* once(call, "orders.place", options, () => ({ ...meaningOf(input), reserveFor: millisOf(options) }))
    const expiresAt = input.petId === undefined ? undefined : yield* perhapsExpiryOf(call, options)
    return yield* place(call, input, options, expiresAt)
  },

  *placeAll(call: Call, inputs: ReadonlyArray<NewOrder>, options?: ReserveOptions) {
    yield* checkReserveFor(options)
    const meaning = () => ({ orders: inputs.map(meaningOf), reserveFor: millisOf(options) })
    yield* once(call, "orders.placeAll", options, meaning)
    return yield* placeAll(call, inputs, options, yield* perhapsExpiryOf(call, options))
  },

  update: amend,

  *complete(call: Call, id: number, options?: ChangeOptions) {
    return yield* amend(call, id, { complete: true }, options)
  },

  *cancel(call: Call, id: number, options?: ChangeOptions) {
    yield* once(call, "orders.cancel", options, () => changeBy(call, id, options))
    yield* requireVisible(call, id)
    const decide = ({ order }: OrderRecord, stocks: StockOf) => withPet(Rules.cancel(id, order, stocks))
    yield* change(call, id, options, undefined, false, decide, call.rules.cancellation && checkCancellation)
    yield* removeRecord(call, "orders", id)
    return { id }
  },

  *setReservation(call: Call, orderId: number, options?: ReserveOptions & ChangeOptions) {
    yield* checkReserveFor(options)
    const reserveFor = millisOf(options)
    yield* once(call, "orders.setReservation", options, () => changeBy(call, orderId, options, { reserveFor }))
    const expiresAt = yield* expiryOf(call, options)
    yield* requireVisible(call, orderId)
    yield* setExpiry(call, orderId, expiresAt, options)
    return toReservation(orderId, expiresAt)
  },

  *removeReservation(call: Call, orderId: number, options?: ChangeOptions) {
    yield* once(call, "orders.removeReservation", options, () => changeBy(call, orderId, options))
    yield* requireVisible(call, orderId)
    return yield* setExpiry(call, orderId, undefined, options)
  }
}

/** An input with its defaults and without its id, so that requests with the same meaning have the same fingerprint. */
const meaningOf = ({ petId, quantity, shipDate, complete }: NewOrder) => ({
  petId,
  quantity: petId === undefined ? quantity : (quantity ?? 1),
  shipDate,
  complete: complete === true
})

const millisOf = (options: ReserveOptions | undefined): number | undefined =>
  options?.reserveFor === undefined ? undefined : Duration.toMillis(options.reserveFor)
