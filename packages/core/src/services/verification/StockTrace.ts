import type { Stock } from "../../domain/Stock.ts"

/** A digest of a text and of the digest before it. */
const mix = (before: number, text: string): number => {
  let high = 0xdeadbeef ^ Math.trunc(before / 2 ** 32)
  let low = 0x41c6ce57 ^ (before >>> 0)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 2 ** 32 * (high & 0x1fffff) + (low >>> 0)
}

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

const textOf = (trace: StockTrace | undefined): string =>
  trace === undefined ? "" : `${trace.at} ${trace.stock.onHand} ${trace.stock.reserved} ${trace.stock.held}`

/** The latest change of a trace, for a report. */
export const shownTrace = (trace: StockTrace | undefined) =>
  trace === undefined ? null : { at: trace.at, ...trace.stock }
