import type { Stock } from "../../domain/Stock.ts"

/** What a text and a number before it come to: a number that hardly any other text gives. */
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
 * When the stock of a pet changed and what it was then, in a few bytes however often it did. Of several changes of one
 * moment the last one counts, because one event tells of all movements of a command.
 */
export interface MovementTrace {
  /** Of all moments before the latest. */
  readonly digest: number
  readonly at: string
  readonly stock: Stock
}

/** A trace that goes on. */
export const traced = (before: MovementTrace | undefined, at: string, stock: Stock): MovementTrace => {
  if (before === undefined) return { digest: 0, at, stock }
  return { digest: at === before.at ? before.digest : mix(before.digest, textOf(before)), at, stock }
}

/** Whether two traces are of the same changes. */
export const sameTrace = (a: MovementTrace | undefined, b: MovementTrace | undefined): boolean =>
  a?.digest === b?.digest && textOf(a) === textOf(b)

const textOf = (trace: MovementTrace | undefined): string =>
  trace === undefined ? "" : `${trace.at} ${trace.stock.onHand} ${trace.stock.reserved} ${trace.stock.held}`
