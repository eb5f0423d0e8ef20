/** Orders, and the rules of placing, changing, completing and cancelling them. Pure functions. */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type InsufficientStock,
  OrderAlreadyComplete,
  OrderIsDraft,
  type PetNotAvailable,
  UnknownPet
} from "./errors/OrderErrors.ts"
import { Id, integer } from "./Id.ts"
import { limits } from "./limits.ts"
import * as Stock from "./Stock.ts"
import { Timestamp } from "./Timestamp.ts"

/** Units in one order: a whole number from 1 to 1,000,000. */
export const OrderQuantity = integer(1, limits.orderQuantity)

/** An order as it is sent: no field is required. */
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
/** As it is answered, it always has its id and says whether it is complete. */
export interface Order extends NewOrder {
  readonly id: number
  readonly complete: boolean
}

/** A change of an order: what is absent stays, a shipDate of null is taken away. */
export const OrderUpdate = Schema.Struct({
  /** Read-only: accepted and ignored. */
  id: Schema.optionalKey(Id),
  petId: Schema.optionalKey(Id),
  quantity: Schema.optionalKey(OrderQuantity),
  shipDate: Schema.optionalKey(Schema.NullOr(Timestamp)),
  complete: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "OrderUpdate" })
export interface OrderUpdate extends Schema.Schema.Type<typeof OrderUpdate> {}

/** `draft`: without a pet, holds no stock. `open`: holds reserved units. `complete`: shipped. `cancelled`: gone from the answers. */
export type OrderState = "draft" | "open" | "complete" | "cancelled"

/** What is kept of an order beside its id. Open and complete orders have a pet and a quantity, complete ones a shipDate. */
export interface OrderContent {
  readonly state: OrderState
  readonly petId?: number
  readonly quantity?: number
  readonly shipDate?: string
}

/** What happened to an order, in the order in which it happened. */
export type OrderFact = "placed" | "updated" | "completed" | "cancelled"

/** What a command does: the order afterwards, the stock of each pet it touches, and what happened. No fact means no change. */
export interface OrderDecision {
  readonly order: OrderContent
  readonly stocks: ReadonlyArray<{ readonly petId: number; readonly change: Stock.StockChange }>
  readonly facts: ReadonlyArray<OrderFact>
}

/** The stock of a pet that was loaded for the decision; undefined where there is no such pet. */
export type StockOf = (petId: number) => Stock.Stock | undefined

/** Why an order is refused. */
export type OrderRefusal = UnknownPet | PetNotAvailable | InsufficientStock | OrderIsDraft | OrderAlreadyComplete

type Decided<E> = Result.Result<OrderDecision, E>

const content = (
  state: OrderState,
  fields: { readonly [K in "petId" | "quantity" | "shipDate"]: OrderContent[K] | undefined }
): OrderContent => ({
  state,
  ...(fields.petId === undefined ? {} : { petId: fields.petId }),
  ...(fields.quantity === undefined ? {} : { quantity: fields.quantity }),
  ...(fields.shipDate === undefined ? {} : { shipDate: fields.shipDate })
})

const stockOrRefuse = (petId: number, stockOf: StockOf): Result.Result<Stock.Stock, UnknownPet> => {
  const stock = stockOf(petId)
  return stock === undefined ? Result.fail(new UnknownPet({ petId })) : Result.succeed(stock)
}

/** Reserves for an order that held nothing so far, and ships at once if it is complete. */
const open = (
  petId: number,
  quantity: number,
  complete: boolean,
  stockOf: StockOf
): Result.Result<Stock.StockChange, UnknownPet | PetNotAvailable | InsufficientStock> => {
  const reserved = Result.flatMap(stockOrRefuse(petId, stockOf), (stock) => Stock.reserve(petId, stock, quantity))
  return complete ? Stock.andThen(reserved, (stock) => Result.succeed(Stock.ship(stock, quantity))) : reserved
}

/** Places an order. Without a pet it is a draft; with one it reserves its units (1 if not said), and ships them if it is complete. */
export const place = (
  input: NewOrder,
  stockOf: StockOf,
  now: string
): Decided<UnknownPet | PetNotAvailable | InsufficientStock | OrderIsDraft> => {
  const complete = input.complete === true
  const { petId, quantity, shipDate } = input
  if (petId === undefined) {
    return complete
      ? Result.fail(new OrderIsDraft({}))
      : Result.succeed({ order: content("draft", { petId, quantity, shipDate }), stocks: [], facts: ["placed"] })
  }
  const units = quantity ?? 1
  return Result.map(open(petId, units, complete, stockOf), (change) => ({
    order: complete
      ? content("complete", { petId, quantity: units, shipDate: shipDate ?? now })
      : content("open", { petId, quantity: units, shipDate }),
    stocks: [{ petId, change }],
    facts: complete ? ["placed", "completed"] : ["placed"]
  }))
}

const same = (a: OrderContent, b: OrderContent): boolean =>
  a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate

/** The reservation of an open order, moved to what the order asks for now. */
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

/**
 * Changes an order. A draft that gets a pet opens; an open order's reservation moves with its pet and quantity;
 * `complete: true` ships. A complete order takes no change, but repeating what it is, is none.
 */
export const amend = (
  orderId: number,
  order: OrderContent,
  update: OrderUpdate,
  stockOf: StockOf,
  now: string
): Decided<OrderRefusal> => {
  const wanted = content(order.state, {
    petId: update.petId ?? order.petId,
    quantity: update.quantity ?? order.quantity,
    shipDate: update.shipDate === undefined ? order.shipDate : (update.shipDate ?? undefined)
  })
  const changes = !same(wanted, order)
  const complete = update.complete === true
  if (order.state === "complete" || order.state === "cancelled") {
    return changes || update.complete === false || order.state === "cancelled"
      ? Result.fail(new OrderAlreadyComplete({ orderId }))
      : Result.succeed({ order, stocks: [], facts: [] })
  }
  const { petId } = wanted
  if (petId === undefined) {
    if (complete) return Result.fail(new OrderIsDraft({}))
    return Result.succeed({ order: wanted, stocks: [], facts: changes ? ["updated"] : [] })
  }
  const quantity = wanted.quantity ?? 1
  const stocks =
    order.petId === undefined
      ? Result.map(open(petId, quantity, false, stockOf), (change) => [{ petId, change }])
      : moveReservation({ petId: order.petId, quantity: order.quantity ?? 1 }, { petId, quantity }, stockOf)
  return Result.map(stocks, (moved) => ({
    order: complete
      ? content("complete", { petId, quantity, shipDate: wanted.shipDate ?? now })
      : content("open", { petId, quantity, shipDate: wanted.shipDate }),
    stocks: complete ? shipLast(moved, petId, quantity) : moved,
    facts: [...(changes ? (["updated"] as const) : []), ...(complete ? (["completed"] as const) : [])]
  }))
}

/** Cancels an order that is not complete and gives its reserved units back. */
export const cancel = (
  orderId: number,
  order: OrderContent,
  stockOf: StockOf
): Decided<UnknownPet | OrderAlreadyComplete> => {
  const cancelled: OrderContent = { ...order, state: "cancelled" }
  const { petId, quantity } = order
  if (order.state === "complete") return Result.fail(new OrderAlreadyComplete({ orderId }))
  if (order.state === "cancelled") return Result.succeed({ order, stocks: [], facts: [] })
  if (petId === undefined || quantity === undefined) {
    return Result.succeed({ order: cancelled, stocks: [], facts: ["cancelled"] })
  }
  return Result.map(stockOrRefuse(petId, stockOf), (stock) => ({
    order: cancelled,
    stocks: [{ petId, change: Stock.cancel(stock, quantity) }],
    facts: ["cancelled"]
  }))
}

/** The answer for an order. */
export const toOrder = (id: number, order: OrderContent): Order => ({
  id,
  ...(order.petId === undefined ? {} : { petId: order.petId }),
  ...(order.quantity === undefined ? {} : { quantity: order.quantity }),
  ...(order.shipDate === undefined ? {} : { shipDate: order.shipDate }),
  complete: order.state === "complete"
})
