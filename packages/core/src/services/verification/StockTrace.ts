import type { Stock } from "../../domain/Stock.ts"
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
}

/** The trace after one more change. */
export const traced = (before: StockTrace | undefined, at: string, stock: Stock): StockTrace => {
  if (before === undefined) return { digest: 0, at, stock }
  return { digest: at === before.at ? before.digest : mix(before.digest, textOf(before)), at, stock }
}

/** Whether two traces have the same changes. */
export const sameTrace = (a: StockTrace | undefined, b: StockTrace | undefined): boolean =>
  a?.digest === b?.digest && textOf(a) === textOf(b)

/** A trace as a text. */
export const textOf = (trace: StockTrace | undefined): string =>
  trace === undefined ? "" : `${trace.at} ${trace.stock.onHand} ${trace.stock.reserved} ${trace.stock.held}`

/** The latest change of a trace, for a report. */
export const shownTrace = (trace: StockTrace | undefined) =>
  trace === undefined ? null : { at: trace.at, ...trace.stock }
