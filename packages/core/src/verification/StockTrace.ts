import type { AdjustmentReason } from "../inventory/Movement.ts"
import type { Stock } from "../inventory/Stock.ts"
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

/** A trace as a text. */
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
