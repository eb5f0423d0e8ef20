import { type Family, families } from "../../live/event.ts"

export interface ChartColumn {
  readonly known: boolean
  /** Per second, from the bottom up: of each family, and last those of which only the number is known. */
  readonly values: ReadonlyArray<number>
}

/** What is known of the last minutes. Times are in seconds. */
interface Known {
  /** Events of each second, the last of which is now. */
  readonly counts: Readonly<Record<Family, ReadonlyArray<number>>>
  /** The second from which on all events were counted. */
  readonly knownSince: number
  /** Events per second, between two readings of the server. */
  readonly rates: ReadonlyArray<{ readonly from: number; readonly at: number; readonly events: number }>
}

export const columnCount = 60

export const sum = (values: ReadonlyArray<number>): number => values.reduce((a, b) => a + b, 0)

/** The columns up to a second that has only begun, which is left out, with a number of seconds for each. */
export const columnsOf = (
  now: number,
  seconds: number,
  { counts, knownSince, rates }: Known
): ReadonlyArray<ChartColumn> => {
  const last = counts.order.length - 1
  const found: Array<ChartColumn> = []
  const oldest = Math.max(0, last - seconds * columnCount)
  for (let at = last - seconds; at >= oldest; at -= seconds) {
    const start = now - last + at
    const isCounted = start >= knownSince
    const middle = start + seconds / 2
    const rate = isCounted ? undefined : rates.find((one) => one.from <= middle && middle <= one.at)
    const values = families.map((family) => (isCounted ? sum(counts[family].slice(at, at + seconds)) / seconds : 0))
    found.push({ values: [...values, rate?.events ?? 0], known: isCounted || rate !== undefined })
  }
  return found.reverse()
}
