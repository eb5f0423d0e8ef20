import {
  type AdjustmentReason,
  hasDetails,
  type Movement,
  type MovementKind,
  reasonOf
} from "../../domain/inventory/Movement.ts"
import type { Stock } from "../../domain/inventory/Stock.ts"
import { limits } from "../../domain/limits.ts"
import { mix } from "./digest.ts"

/**
 * When the stock of a pet changed and to what, in a few bytes, however often. Of several changes at one time the last one
 * counts, because all movements of a command have one event.
 */
export interface StockTrace {
  /** Of all changes before the latest. */
  readonly digest: number
  readonly at: string
  readonly stock: Stock
  /** Why the stock was adjusted, if it was. */
  readonly reason?: AdjustmentReason
}

/** The trace after one more change. */
export const traced = (
  before: StockTrace | undefined,
  at: string,
  stock: Stock,
  reason?: AdjustmentReason
): StockTrace => {
  const change = reason === undefined ? { at, stock } : { at, stock, reason }
  if (before === undefined) return { digest: 0, ...change }
  return { digest: at === before.at ? before.digest : mix(before.digest, textOf(before)), ...change }
}

/** Whether two traces have the same changes. */
export const sameTrace = (a: StockTrace | undefined, b: StockTrace | undefined): boolean =>
  a?.digest === b?.digest && textOf(a) === textOf(b)

export const textOf = (trace: StockTrace | undefined): string => {
  if (trace === undefined) return ""
  const { at, reason = "", stock } = trace
  return `${at} ${stock.onHand} ${stock.reserved} ${stock.held} ${reason}`
}

/** The latest change of a trace, for a report. */
export const shownTrace = (trace: StockTrace | undefined) => {
  if (trace === undefined) return null
  const { at, reason, stock } = trace
  return reason === undefined ? { at, ...stock } : { at, ...stock, reason }
}

/** The ledger of one pet, up to a movement. */
export interface Ledger {
  /** The `seq` of that movement. */
  readonly last: number
  readonly stock: Stock
  readonly removed: boolean
  readonly trace?: StockTrace
}

/** The ledger of a pet before its first movement. */
export const emptyLedger: Ledger = { last: 0, stock: { onHand: 0, reserved: 0, held: false }, removed: false }

/** The stock after a movement. */
export const stockAfter = (
  { held, onHand, reserved }: Stock,
  { deltaOnHand, deltaReserved, kind }: Movement
): Stock => {
  const left = onHand + deltaOnHand
  return {
    onHand: left,
    reserved: reserved + deltaReserved,
    held: (kind === "held" || (kind !== "unheld" && held)) && left > 0
  }
}

/** The ledger after a movement that leads to this stock. */
export const ledgerAfter = (before: Ledger, { at, kind, seq }: Movement, stock: Stock): Ledger => ({
  last: seq,
  stock,
  removed: before.removed || kind === "removed",
  trace: traced(before.trace, at, stock, reasonOf(kind))
})

/** Whether at least as many units are on hand as are reserved, and both are numbers that stock can have. */
export const inBounds = ({ onHand, reserved }: Pick<Stock, "onHand" | "reserved">): boolean =>
  0 <= reserved && reserved <= onHand && onHand <= limits.stock

interface KindOfMovement {
  /** Whether it belongs to an order. */
  readonly ofOrder: boolean
  /** Whether a movement may change what it changes, given the stock before it. */
  readonly fits: (movement: Movement, before: Stock) => boolean
}

const adjusted: KindOfMovement = { ofOrder: false, fits: (m) => m.deltaOnHand !== 0 && m.deltaReserved === 0 }

const kinds: { readonly [Kind in MovementKind]: KindOfMovement } = {
  initial: { ofOrder: false, fits: (m) => m.seq === 1 && m.deltaOnHand >= 0 && m.deltaReserved === 0 },
  set: { ofOrder: false, fits: (m) => m.deltaOnHand !== 0 && m.deltaReserved === 0 },
  held: {
    ofOrder: false,
    fits: (m, { held, onHand }) => m.deltaOnHand === 0 && m.deltaReserved === 0 && !held && onHand > 0
  },
  unheld: { ofOrder: false, fits: (m, { held }) => m.deltaOnHand === 0 && m.deltaReserved === 0 && held },
  reserved: { ofOrder: true, fits: (m, { held }) => m.deltaOnHand === 0 && m.deltaReserved > 0 && !held },
  unreserved: { ofOrder: true, fits: (m) => m.deltaOnHand === 0 && m.deltaReserved < 0 },
  shipped: { ofOrder: true, fits: (m) => m.deltaOnHand < 0 && m.deltaReserved === m.deltaOnHand },
  cancelled: { ofOrder: true, fits: (m) => m.deltaOnHand === 0 && m.deltaReserved < 0 },
  expired: { ofOrder: true, fits: (m) => m.deltaOnHand === 0 && m.deltaReserved < 0 },
  written_off: {
    ofOrder: false,
    fits: (m, { onHand }) => m.deltaOnHand < 0 && m.deltaOnHand + onHand === 0 && m.deltaReserved === 0
  },
  removed: { ofOrder: false, fits: (m, { onHand }) => m.deltaOnHand + onHand === 0 && m.deltaReserved === 0 },
  received: adjusted,
  damaged: adjusted,
  returned: adjusted,
  correction: adjusted
}

/** Whether a movement can follow in a ledger. */
export const canFollow = (movement: Movement, { last, removed, stock }: Ledger): boolean =>
  !removed && (last > 0 || movement.kind === "initial") && kinds[movement.kind]?.fits(movement, stock) === true

/** Whether a movement names an order if its kind belongs to one and none otherwise, and has no details unless it is an adjustment. */
export const isAttributed = (movement: Movement): boolean =>
  (kinds[movement.kind]?.ofOrder === true) === (movement.orderId !== undefined) &&
  (!hasDetails(movement) || reasonOf(movement.kind) !== undefined)
