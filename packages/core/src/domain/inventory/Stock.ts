/** The stock of a pet, and the rules of everything that moves it. Pure functions. */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { limits } from "../limits.ts"
import { InsufficientStock, PetNotAvailable } from "../orders/OrderErrors.ts"
import {
  InvalidStatusTransition,
  PetHasOpenOrders,
  PetReserved,
  QuantityBelowReserved,
  StockLimitExceeded
} from "../pets/PetErrors.ts"
import type { AdjustmentDetails, AdjustmentReason, MovementKind } from "./Movement.ts"

/** `available`: units are free. `pending`: none is free, some are on hand. `sold`: none is on hand. */
export const PetStatus = Schema.Literals(["available", "pending", "sold"]).annotate({ identifier: "PetStatus" })
export type PetStatus = typeof PetStatus.Type

/** The stock of one pet. Always `0 <= reserved <= onHand`, and `held` only where `onHand > 0`. */
export interface Stock {
  /** Units in the store, reserved ones included. */
  readonly onHand: number
  /** Units reserved for open orders. */
  readonly reserved: number
  /** Whether the pet is on hold: it takes no new orders, and open ones stay open. */
  readonly held: boolean
}

/** What the ledger records of one change. */
export interface StockMovement extends AdjustmentDetails {
  readonly kind: MovementKind
  readonly deltaOnHand: number
  readonly deltaReserved: number
}

/** Units that are added or taken away by hand, and why. */
export interface Adjustment extends AdjustmentDetails {
  readonly delta: number
  readonly reason: AdjustmentReason
}

/** A change of stock: its result, and the movements that lead there, in order. No movement means no change. */
export interface StockChange {
  readonly stock: Stock
  readonly movements: ReadonlyArray<StockMovement>
}

/** Units that can be ordered. */
export const available = (stock: Stock): number => (stock.held ? 0 : stock.onHand - stock.reserved)

/** The one source of `Pet.status` and `InventoryItem.status`. */
export const statusOf = ({ held, onHand, reserved }: Stock): PetStatus =>
  onHand === 0 ? "sold" : held || onHand === reserved ? "pending" : "available"

const moved = (
  stock: Stock,
  kind: MovementKind,
  deltaOnHand: number,
  deltaReserved: number,
  held = stock.held
): StockChange => {
  const onHand = stock.onHand + deltaOnHand
  return {
    // Every path to 0 on hand ends a hold.
    stock: { onHand, reserved: stock.reserved + deltaReserved, held: held && onHand > 0 },
    movements: [{ kind, deltaOnHand, deltaReserved }]
  }
}

const unchanged = (stock: Stock): StockChange => ({ stock, movements: [] })

/** One change after another: the second starts from the result of the first. */
export const andThen = <E1, E2>(
  first: Result.Result<StockChange, E1>,
  next: (stock: Stock) => Result.Result<StockChange, E2>
): Result.Result<StockChange, E1 | E2> =>
  Result.flatMap(first, (before) =>
    Result.map(next(before.stock), (after) => ({
      stock: after.stock,
      movements: [...before.movements, ...after.movements]
    }))
  )

const none: Stock = { onHand: 0, reserved: 0, held: false }

/** The stock of a new pet: one unit, held if it starts as pending; none if it starts as sold. */
export const initial = (status: PetStatus = "available"): StockChange => {
  const created = moved(none, "initial", status === "sold" ? 0 : 1, 0)
  return status === "pending"
    ? {
        stock: { ...created.stock, held: true },
        movements: [...created.movements, { kind: "held", deltaOnHand: 0, deltaReserved: 0 }]
      }
    : created
}

/** Sets the units on hand. */
export const setQuantity = (
  petId: number,
  stock: Stock,
  quantity: number
): Result.Result<StockChange, QuantityBelowReserved> =>
  quantity < stock.reserved
    ? Result.fail(new QuantityBelowReserved({ petId, quantity, reserved: stock.reserved }))
    : Result.succeed(quantity === stock.onHand ? unchanged(stock) : moved(stock, "set", quantity - stock.onHand, 0))

/** Adds units on hand, or takes them away if `delta` is below 0. */
export const adjust = (
  petId: number,
  stock: Stock,
  { delta, reason, ...details }: Adjustment
): Result.Result<StockChange, QuantityBelowReserved | StockLimitExceeded> => {
  if (delta === 0) return Result.succeed(unchanged(stock))
  const quantity = stock.onHand + delta
  if (quantity > limits.stock) return Result.fail(new StockLimitExceeded({ petId, quantity, limit: limits.stock }))
  return Result.map(setQuantity(petId, stock, quantity), (change) => ({
    ...change,
    movements: change.movements.map((movement) => ({ ...movement, kind: reason, ...details }))
  }))
}

/** Reserves units for an order. Rejected if the pet takes no orders or too few units are free; never reduced. */
export const reserve = (
  petId: number,
  stock: Stock,
  quantity: number
): Result.Result<StockChange, PetNotAvailable | InsufficientStock> => {
  if (stock.held || stock.onHand === 0) {
    return Result.fail(new PetNotAvailable({ petId, status: statusOf(stock), quantity: stock.onHand }))
  }
  const free = available(stock)
  return free < quantity
    ? Result.fail(new InsufficientStock({ petId, requested: quantity, available: free }))
    : Result.succeed(moved(stock, "reserved", 0, quantity))
}

/** Releases units of an order that stays open with fewer units, or with another pet. */
export const unreserve = (stock: Stock, quantity: number): StockChange => moved(stock, "unreserved", 0, -quantity)

/** Releases the units of a cancelled order. */
export const cancel = (stock: Stock, quantity: number): StockChange => moved(stock, "cancelled", 0, -quantity)

/** Releases the units of an order that has expired. */
export const expire = (stock: Stock, quantity: number): StockChange => moved(stock, "expired", 0, -quantity)

/** Ships reserved units. */
export const ship = (stock: Stock, quantity: number): StockChange => moved(stock, "shipped", -quantity, -quantity)

/** Ends the stock of a pet that is deleted. */
export const remove = (petId: number, stock: Stock): Result.Result<StockChange, PetHasOpenOrders> =>
  stock.reserved > 0
    ? Result.fail(new PetHasOpenOrders({ petId, reserved: stock.reserved }))
    : // Not -onHand, which is -0 for an empty stock.
      Result.succeed(moved(stock, "removed", 0 - stock.onHand, 0))

const hold = (stock: Stock): StockChange => (stock.held ? unchanged(stock) : moved(stock, "held", 0, 0, true))

const unhold = (petId: number, stock: Stock): Result.Result<StockChange, PetReserved> =>
  stock.held
    ? Result.succeed(moved(stock, "unheld", 0, 0, false))
    : Result.fail(new PetReserved({ petId, reserved: stock.reserved }))

const writeOff = (petId: number, stock: Stock): Result.Result<StockChange, PetHasOpenOrders> =>
  stock.reserved > 0
    ? Result.fail(new PetHasOpenOrders({ petId, reserved: stock.reserved }))
    : Result.succeed(moved(stock, "written_off", -stock.onHand, 0))

/**
 * Requests a status. `pending` puts the pet on hold, `available` ends the hold (and the pet stays pending while its units
 * are all reserved), `sold` writes off the units on hand.
 */
export const requestStatus = (
  petId: number,
  stock: Stock,
  requested: PetStatus
): Result.Result<StockChange, InvalidStatusTransition | PetReserved | PetHasOpenOrders> => {
  const from = statusOf(stock)
  if (from === "sold") {
    return requested === "sold"
      ? Result.succeed(unchanged(stock))
      : Result.fail(new InvalidStatusTransition({ petId, from, to: requested }))
  }
  switch (requested) {
    case "available":
      return from === "available" ? Result.succeed(unchanged(stock)) : unhold(petId, stock)
    case "pending":
      return Result.succeed(hold(stock))
    case "sold":
      return writeOff(petId, stock)
  }
}
