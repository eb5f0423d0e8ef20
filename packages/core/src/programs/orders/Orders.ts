import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ownerIn, type PrincipalInfo, visibleOwner } from "../../domain/access/Principal.ts"
import { ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { NotFound } from "../../domain/errors/RequestErrors.ts"
import type { NewOrder, Order, OrderUpdate, StockOf } from "../../domain/orders/Order.ts"
import * as Rules from "../../domain/orders/Order.ts"
import type { OrderFilter } from "../../domain/orders/OrderFilter.ts"
import type { OwnerHoldings } from "../../domain/orders/OrderLimits.ts"
import { isEnded } from "../../domain/orders/OrderState.ts"
import type { Reservation } from "../../domain/orders/Reservation.ts"
import type { Page } from "../../domain/Page.ts"
import type {
  Include,
  IncludedOrderRecord,
  IncludedRecord,
  IncludeOption,
  OrderEnding,
  Shown,
  ShownPage
} from "../../domain/records/IncludedRecord.ts"
import type { Metadata } from "../../domain/records/ResourceRecord.ts"
import { validator } from "../../domain/validate.ts"
import { type Command, fail, orFail } from "../../kernel/Command.ts"
import type { EndingRecord } from "../../tables/endingTable.ts"
import {
  endingOf,
  endings,
  endingsBy,
  endingsReversedBy,
  ordersBy,
  ordersReversedBy,
  orders as table
} from "../../tables/index.ts"
import type { OrderQuery, OrderRecord } from "../../tables/orderTable.ts"
import { refused, type TimePlace, timeOrderOf } from "../../tables/TimeOrder.ts"
import type { Call, Reading } from "../Call.ts"
import { checkCancellation, checkOrder } from "../hostRules.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, CancelOptions, ChangeOptions, ReserveOptions, Versioned } from "../Options.ts"
import { pageOf } from "../pagination.ts"
import type { Precondition } from "../precondition.ts"
import { pageWithRecords, removeRecord, withRecord } from "../records/recordCommands.ts"
import { pageByMetadata, pageByTime } from "../records/recordLists.ts"
import { change, isCounted, place, placeAll, toVersioned, withPet } from "./orderCommands.ts"
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
  /**
   * Lists one page of orders: in ascending order of ids, or as `sort` says. Those that were cancelled or have expired are listed by their
   * `state`, as long as the event of it is kept.
   */
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
  /**
   * Cancels an order and releases its stock; from then on it is not found, and lists have it only with `state: "cancelled"`. Fails with
   * `not_found`, `precondition_failed`, `order_already_complete`.
   */
  cancel(orderId: number, options?: CancelOptions & Options): Promise<void>
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
function* visible(reading: Reading, id: number) {
  return (yield* findVisible(reading, id)) ?? (yield* notFound("order", id))
}

/** An order with its end, if it was listed as one that has ended. */
interface ListedOrder extends OrderRecord {
  readonly ending?: EndingRecord
}

/** What is recorded about an order. Only who sees all orders sees whose they are, and who ended them. */
const orderRecord = (
  { hidesOwners, ownOnly }: PrincipalInfo,
  { ending, order: { expiresAt, state }, owner, updatedAt }: ListedOrder,
  record: IncludedRecord
): IncludedOrderRecord => {
  const seesOwners = hidesOwners !== true && ownOnly !== true
  return {
    ...record,
    state,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(owner === undefined || !seesOwners ? {} : { owner: ownerIn(owner) }),
    ...(ending === undefined ? {} : { ended: endedOf(ending, updatedAt, seesOwners) })
  }
}

const endedOf = ({ actor, reason }: EndingRecord, at: string, showsActor: boolean): OrderEnding => ({
  at,
  ...(showsActor ? { actor } : {}),
  ...(reason === undefined ? {} : { reason })
})

/** At most `limit` orders that were cancelled or have expired, with how: one keyed read for all of them. */
function* endedOrders(
  { rows }: Reading,
  asked: OrderQuery,
  limit: number,
  isReversed: boolean
): Command<ReadonlyArray<ListedOrder>> {
  const ends = yield* rows.all(isReversed ? endingsReversedBy : endingsBy, asked, limit)
  const stored = yield* rows.findAll(
    table,
    ends.map(({ orderId }) => orderId)
  )
  const byId = new Map(stored.map((row) => [row.id, row]))
  return ends.flatMap((ending) => {
    const row = byId.get(ending.orderId)
    return row === undefined ? [] : [{ ...row, ending }]
  })
}

/** A page of orders by metadata or by a time; undefined for the other lists. */
function* pageByRecord(reading: Reading, { metadata, ...filter }: OrderFilter) {
  const { principal, rows } = reading
  const { complete, count, petId, sort, state } = filter
  const owner = visibleOwner(principal)
  if (metadata !== undefined) return yield* pageByMetadata(reading, "orders", table, metadata, filter, owner)
  const order = yield* timeOrderOf(filter)
  if (order === undefined) return undefined
  if (petId !== undefined) return yield* refused("petId", `Expected no petId with a list by ${order.by}`)
  if (isEnded(state)) return yield* refused("state", `Expected no ${state} with a list by ${order.by}`)
  const filters = { complete, state }
  const asked = { ...filters, owner }
  const by = order.isReversed ? ordersReversedBy : ordersBy
  const list = {
    order,
    sort,
    filters,
    rows: (place: Pick<OrderQuery, "after" | "time">, limit: number) => rows.all(by, { ...asked, ...place }, limit),
    count:
      count === true
        ? (time: TimePlace, most: number) => rows.count(ordersBy, { ...asked, after: 0, time }, most)
        : undefined
  }
  return yield* pageByTime(reading, "orders", filter, list, table.keyOf)
}

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
    const hasEnded = isEnded(state)
    if (count || include !== undefined || hasEnded) yield* rows.together()
    const special = yield* pageByRecord(reading, filter)
    const page: Page<ListedOrder> =
      special ??
      (yield* pageOf<ListedOrder, ListedOrder, number>(query, {
        list: "orders",
        filters: { ...filters, sort: isReversed ? sort : undefined },
        start: isReversed ? Number.POSITIVE_INFINITY : 0,
        rows: (after, limit) =>
          hasEnded
            ? endedOrders(reading, { ...asked, after }, limit, isReversed)
            : rows.all(isReversed ? ordersReversedBy : ordersBy, { ...asked, after }, limit),
        position: (record) => record.id,
        item: (row) => row,
        count: count
          ? (most) =>
              hasEnded
                ? rows.count(endingsBy, { ...asked, after: 0 }, most)
                : rows.count(ordersBy, { ...asked, after: 0 }, most)
          : undefined
      }))
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

  *cancel(call: Call, id: number, options?: CancelOptions) {
    const reason = yield* orFail(reasonOf(options))
    yield* once(call, "orders.cancel", options, () =>
      changeBy(call, id, options, reason === undefined ? undefined : { reason })
    )
    yield* requireVisible(call, id)
    const decide = ({ order }: OrderRecord, stocks: StockOf) => withPet(Rules.cancel(id, order, stocks))
    const after = yield* change(
      call,
      id,
      options,
      undefined,
      false,
      decide,
      call.rules.cancellation && checkCancellation
    )
    call.tx.add(endings, endingOf(after, call.actor, reason))
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

const checkReason = validator(Schema.Struct({ reason: Rules.CancelReason }))

/** The reason of a cancellation; undefined if the caller gives none. */
const reasonOf = (options: CancelOptions | undefined): Result.Result<string | undefined, ValidationFailed> =>
  options?.reason === undefined
    ? Result.succeed(undefined)
    : Result.mapBoth(checkReason("/query", { reason: options.reason }), {
        onSuccess: ({ reason }) => reason,
        onFailure: (violations) => ValidationFailed.of(violations)
      })

const millisOf = (options: ReserveOptions | undefined): number | undefined =>
  options?.reserveFor === undefined ? undefined : Duration.toMillis(options.reserveFor)
