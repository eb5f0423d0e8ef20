/** Orders, and the rules of placing, changing, completing and cancelling them. Pure functions. */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import { Id, integer } from "../Id.ts"
import * as Stock from "../inventory/Stock.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { line } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"
import {
  type InsufficientStock,
  OrderAlreadyComplete,
  OrderIsDraft,
  type PetNotAvailable,
  UnknownPet
} from "./OrderErrors.ts"
import { OrderFilter } from "./OrderFilter.ts"
import { type OrderFact, type OrderField, type OrderState, orderStates } from "./OrderState.ts"

/** Units in one order: a whole number from 1 to 1,000,000. */
export const OrderQuantity = integer(1, limits.orderQuantity)

/** The input of an order: no field is required. */
export const Order = Schema.Struct({
  /** Read-only: accepted and ignored in an input. */
  id: Schema.optionalKey(Id),
  petId: Schema.optionalKey(Id),
  quantity: Schema.optionalKey(OrderQuantity),
  shipDate: Schema.optionalKey(Timestamp),
  complete: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Order" })
/** The input of a new order. */
export interface NewOrder extends Schema.Schema.Type<typeof Order> {}
/** An order. Its id and `complete` are always present. */
export interface Order extends NewOrder {
  readonly id: number
  readonly complete: boolean
}

/** Orders to place together: all of them, or none. */
export const NewOrders = Schema.Struct({
  orders: Schema.Array(Order).check(
    Schema.isMinLength(1, { message: "Expected at least one order" }),
    Schema.isMaxLength(limits.orders, { message: `Expected at most ${limits.orders} orders` })
  )
}).annotate({ identifier: "NewOrders" })

/** Why an order is cancelled. */
export const CancelReason = line(limits.reason)

/** A change of an order: absent fields stay as they are, and a `shipDate` of null removes it. */
export const OrderUpdate = Schema.Struct({
  /** Read-only: accepted and ignored. */
  id: Schema.optionalKey(Id),
  petId: Schema.optionalKey(Id),
  quantity: Schema.optionalKey(OrderQuantity),
  shipDate: Schema.optionalKey(Schema.NullOr(Timestamp)),
  complete: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "OrderUpdate" })
export interface OrderUpdate extends Schema.Schema.Type<typeof OrderUpdate> {}

/** The stored fields of an order without its id and version. {@link orderStates} lists which fields a state needs. */
export interface OrderContent {
  readonly state: OrderState
  readonly petId?: number
  readonly quantity?: number
  readonly shipDate?: string
  /** When it expires unless it is completed before; absent if it never does. */
  readonly expiresAt?: string
}

/** What a command does: the order afterwards, the stock of each pet that changes, and what happened. Without facts, nothing changes. */
export interface OrderDecision {
  readonly order: OrderContent
  readonly stocks: ReadonlyArray<{ readonly petId: number; readonly change: Stock.StockChange }>
  readonly facts: ReadonlyArray<OrderFact>
}

/** The stock of a pet that was loaded for the decision; undefined if the pet does not exist. */
export type StockOf = (petId: number) => Stock.Stock | undefined

/** Why an order is rejected. */
export type OrderRefusal = UnknownPet | PetNotAvailable | InsufficientStock | OrderIsDraft | OrderAlreadyComplete

type Decided<E> = Result.Result<OrderDecision, E>

const content = (
  state: OrderState,
  { expiresAt, petId, quantity, shipDate }: { readonly [K in OrderField]?: OrderContent[K] | undefined }
): OrderContent => {
  // Every order passes here, and to spread objects takes V8 seven times as long as to add their fields.
  const order: Types.Mutable<OrderContent> = { state }
  if (petId !== undefined) order.petId = petId
  if (quantity !== undefined) order.quantity = quantity
  if (shipDate !== undefined) order.shipDate = shipDate
  if (expiresAt !== undefined) order.expiresAt = expiresAt
  return order
}

const stockOrRefuse = (petId: number, stockOf: StockOf): Result.Result<Stock.Stock, UnknownPet> => {
  const stock = stockOf(petId)
  return stock === undefined ? Result.fail(new UnknownPet({ petId })) : Result.succeed(stock)
}

/** Reserves units for an order that has none, and ships them at once if it is complete. */
const open = (
  petId: number,
  quantity: number,
  complete: boolean,
  stockOf: StockOf
): Result.Result<Stock.StockChange, UnknownPet | PetNotAvailable | InsufficientStock> => {
  const stock = stockOf(petId)
  if (stock === undefined) return Result.fail(new UnknownPet({ petId }))
  const reserved = Stock.reserve(petId, stock, quantity)
  return complete ? Stock.andThen(reserved, (stock) => Result.succeed(Stock.ship(stock, quantity))) : reserved
}

/**
 * Places an order. Without a pet it is a draft; with one it reserves its units (1 by default), until it expires if it does, and ships
 * them if it is complete.
 */
export const place = (
  input: NewOrder,
  stockOf: StockOf,
  now: string,
  expiresAt?: string
): Decided<UnknownPet | PetNotAvailable | InsufficientStock | OrderIsDraft> => {
  const complete = input.complete === true
  const { petId, quantity, shipDate } = input
  if (petId === undefined) {
    return complete
      ? Result.fail(new OrderIsDraft({}))
      : Result.succeed({ order: content("draft", { petId, quantity, shipDate }), stocks: [], facts: ["placed"] })
  }
  const units = quantity ?? 1
  const opened = open(petId, units, complete, stockOf)
  if (Result.isFailure(opened)) return Result.fail(opened.failure)
  return Result.succeed({
    order: complete
      ? content("complete", { petId, quantity: units, shipDate: shipDate ?? now })
      : content("open", { petId, quantity: units, shipDate, expiresAt }),
    stocks: [{ petId, change: opened.success }],
    facts: complete ? ["placed", "completed"] : ["placed"]
  })
}

const same = (a: OrderContent, b: OrderContent): boolean =>
  a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate

/** Moves the reservation of an open order to another pet or quantity. */
const moveReservation = (
  from: { readonly petId: number; readonly quantity: number },
  to: { readonly petId: number; readonly quantity: number },
  stockOf: StockOf
): Result.Result<OrderDecision["stocks"], UnknownPet | PetNotAvailable | InsufficientStock> => {
  const left = stockOrRefuse(from.petId, stockOf)
  if (from.petId !== to.petId) {
    return Result.flatMap(left, (stock) =>
      Result.map(open(to.petId, to.quantity, false, stockOf), (change) => [
        { petId: from.petId, change: Stock.unreserve(stock, from.quantity) },
        { petId: to.petId, change }
      ])
    )
  }
  const more = to.quantity - from.quantity
  return Result.flatMap(left, (stock) =>
    Result.map(
      more > 0
        ? Stock.reserve(to.petId, stock, more)
        : Result.succeed(more < 0 ? Stock.unreserve(stock, -more) : { stock, movements: [] }),
      (change) => [{ petId: to.petId, change }]
    )
  )
}

const shipLast = (stocks: OrderDecision["stocks"], petId: number, quantity: number): OrderDecision["stocks"] =>
  stocks.map(({ petId: id, change }) => {
    if (id !== petId) return { petId: id, change }
    const shipped = Stock.ship(change.stock, quantity)
    return { petId, change: { stock: shipped.stock, movements: [...change.movements, ...shipped.movements] } }
  })

const unchanged = (order: OrderContent): Decided<never> => Result.succeed({ order, stocks: [], facts: [] })

/**
 * Changes an order. A draft that receives a pet opens, and expires at `expiresAt`; an open order's reservation moves with its pet and
 * quantity; `complete: true` ships. A complete order cannot change; a no-op update succeeds.
 */
export const amend = (
  orderId: number,
  order: OrderContent,
  update: OrderUpdate,
  stockOf: StockOf,
  now: string,
  expiresAt?: string
): Decided<OrderRefusal> => {
  const wanted = content(order.state, {
    petId: update.petId ?? order.petId,
    quantity: update.quantity ?? order.quantity,
    shipDate: update.shipDate === undefined ? order.shipDate : (update.shipDate ?? undefined)
  })
  const { petId, quantity = 1 } = wanted
  const changes = !same(wanted, order)
  const complete = update.complete === true
  switch (order.state) {
    case "draft":
    case "open": {
      if (petId === undefined) {
        if (complete) return Result.fail(new OrderIsDraft({}))
        return changes ? Result.succeed({ order: wanted, stocks: [], facts: ["updated"] }) : unchanged(order)
      }
      const reserved =
        order.petId === undefined
          ? Result.map(open(petId, quantity, false, stockOf), (change) => [{ petId, change }])
          : moveReservation({ petId: order.petId, quantity: order.quantity ?? 1 }, { petId, quantity }, stockOf)
      return Result.map(reserved, (stocks) => ({
        order: complete
          ? content("complete", { petId, quantity, shipDate: wanted.shipDate ?? now })
          : content("open", {
              petId,
              quantity,
              shipDate: wanted.shipDate,
              expiresAt: order.state === "draft" ? expiresAt : order.expiresAt
            }),
        stocks: complete ? shipLast(stocks, petId, quantity) : stocks,
        facts: [...(changes ? (["updated"] as const) : []), ...(complete ? (["completed"] as const) : [])]
      }))
    }
    case "complete":
      return changes || update.complete === false
        ? Result.fail(new OrderAlreadyComplete({ orderId }))
        : unchanged(order)
    case "cancelled":
    case "expired":
      return Result.fail(new OrderAlreadyComplete({ orderId }))
  }
}

/** Cancels an order that is not complete, and releases its reserved units. */
export const cancel = (
  orderId: number,
  order: OrderContent,
  stockOf: StockOf
): Decided<UnknownPet | OrderAlreadyComplete> => {
  const decision: OrderDecision = {
    order: content("cancelled", { ...order, expiresAt: undefined }),
    stocks: [],
    facts: ["cancelled"]
  }
  switch (order.state) {
    case "draft":
      return Result.succeed(decision)
    case "open": {
      const { petId, quantity } = order
      if (petId === undefined || quantity === undefined) return Result.succeed(decision)
      return Result.map(stockOrRefuse(petId, stockOf), (stock) => ({
        ...decision,
        stocks: [{ petId, change: Stock.cancel(stock, quantity) }]
      }))
    }
    case "complete":
      return Result.fail(new OrderAlreadyComplete({ orderId }))
    case "cancelled":
    case "expired":
      return unchanged(order)
  }
}

/** Whether an order has expired, although it may still hold its units. Times are texts that sort as they do. */
export const isOverdue = ({ expiresAt, state }: OrderContent, now: string): boolean =>
  state === "open" && expiresAt !== undefined && expiresAt <= now

/** Expires an order, and releases its reserved units. */
export const expire = (order: OrderContent, stockOf: StockOf, now: string): Decided<UnknownPet> => {
  const { petId, quantity } = order
  if (!isOverdue(order, now) || petId === undefined || quantity === undefined) return unchanged(order)
  return Result.map(stockOrRefuse(petId, stockOf), (stock) => ({
    order: { ...order, state: "expired" },
    stocks: [{ petId, change: Stock.expire(stock, quantity) }],
    facts: ["expired"]
  }))
}

/** Sets when an open order expires: never, if undefined. */
export const reserveUntil = (
  orderId: number,
  order: OrderContent,
  expiresAt: string | undefined
): Result.Result<OrderContent, OrderIsDraft | OrderAlreadyComplete> => {
  switch (order.state) {
    case "draft":
      return Result.fail(draftReservesNothing())
    case "open":
      return Result.succeed(content("open", { ...order, expiresAt }))
    case "complete":
    case "cancelled":
    case "expired":
      return Result.fail(new OrderAlreadyComplete({ orderId }))
  }
}

/** Why an order without a pet cannot expire. */
export const draftReservesNothing = (): OrderIsDraft =>
  new OrderIsDraft({}, { message: "An order without a pet reserves nothing. Give it a petId." })

const nouns: { readonly [Field in OrderField]: string } = {
  petId: "a pet",
  quantity: "a quantity",
  shipDate: "a ship date",
  expiresAt: "a time at which it expires"
}

/** What is wrong with the fields of an order in its state, in words; undefined if it can be stored. */
export const fieldProblem = (order: OrderContent): string | undefined => {
  const { state } = order
  if (!Object.hasOwn(orderStates, state)) return `There is no order state ${state}`
  const { absent, required } = orderStates[state]
  const missing = required.filter((field) => order[field] === undefined)
  if (missing.length > 0)
    return `In state ${state}, an order needs ${missing.map((field) => nouns[field]).join(" and ")}`
  const extra = absent.filter((field) => order[field] !== undefined)
  if (extra.length > 0)
    return `In state ${state}, an order cannot have ${extra.map((field) => nouns[field]).join(" or ")}`
  return undefined
}

/** The order that callers see. */
export const toOrder = (id: number, { petId, quantity, shipDate, state }: OrderContent): Order => {
  const order: Types.Mutable<Omit<Order, "complete">> = { id }
  if (petId !== undefined) order.petId = petId
  if (quantity !== undefined) order.quantity = quantity
  if (shipDate !== undefined) order.shipDate = shipDate
  return { ...order, complete: orderStates[state].complete }
}

const reserving = [
  "unknown_pet",
  "insufficient_stock",
  "pet_not_available",
  "order_is_draft",
  "order_limit_exceeded"
] as const

/** What the methods of `orders` take. */
export const orderInputs = {
  place: {
    body: Order,
    options: { idempotencyKey: true, reserveFor: true },
    errors: reserving,
    hostRules: true
  },
  placeAll: {
    body: NewOrders,
    field: "orders",
    options: { idempotencyKey: true, reserveFor: true },
    errors: reserving,
    hostRules: true
  },
  get: { path: { orderId: Id }, options: { include: true }, errors: ["not_found"] },
  list: { query: OrderFilter, errors: ["not_indexed"] },
  update: {
    path: { orderId: Id },
    body: OrderUpdate,
    options: { idempotencyKey: true, ifVersion: true },
    errors: [...reserving, "not_found", "order_already_complete"],
    hostRules: true
  },
  complete: {
    path: { orderId: Id },
    options: { idempotencyKey: true, ifVersion: true },
    errors: [...reserving, "not_found", "order_already_complete"],
    hostRules: true
  },
  cancel: {
    path: { orderId: Id },
    options: { idempotencyKey: true, ifVersion: true, reason: true },
    errors: ["not_found", "order_already_complete"],
    hostRules: true
  },
  reservation: { path: { orderId: Id }, errors: ["not_found"] },
  setReservation: {
    path: { orderId: Id },
    options: { idempotencyKey: true, ifVersion: true, reserveFor: true },
    hasVersion0: true,
    errors: ["not_found", "order_is_draft", "order_already_complete"]
  },
  removeReservation: {
    path: { orderId: Id },
    options: { idempotencyKey: true, ifVersion: true },
    hasVersion0: true,
    errors: ["not_found", "order_is_draft", "order_already_complete"]
  }
} as const satisfies MethodInputs
