import { limits } from "../domain/limits.ts"
import { type Movement, type MovementKind, reasonOf } from "../inventory/Movement.ts"
import type { Stock } from "../inventory/Stock.ts"
import { type StockTrace, traced } from "./StockTrace.ts"

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

/** Whether a movement names an order if its kind belongs to one and none otherwise, and has no note unless it is an adjustment. */
export const isAttributed = ({ kind, note, orderId }: Movement): boolean =>
  (kinds[kind]?.ofOrder === true) === (orderId !== undefined) && (note === undefined || reasonOf(kind) !== undefined)
