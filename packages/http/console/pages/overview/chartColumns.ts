import { families } from "../../live/event.ts"
import { counts, knownSince, windowSeconds } from "../../live/eventCounts.ts"
import { rates } from "../../live/stats.ts"

export interface ChartColumn {
  readonly known: boolean
  /** Per second, from the bottom up: of each family, and last those of which only the number is known. */
  readonly values: ReadonlyArray<number>
}

export const columnCount = 60

export const sum = (values: ReadonlyArray<number>): number => values.reduce((a, b) => a + b, 0)

/** The counts of the last minutes, with a number of seconds for each column; the second that has only begun is left out. */
export const chartColumns = (seconds: number): ReadonlyArray<ChartColumn> => {
  const first = Math.floor(Date.now() / 1000) - windowSeconds + 1
  const found: Array<ChartColumn> = []
  const oldest = Math.max(0, windowSeconds - 1 - seconds * columnCount)
  for (let at = windowSeconds - 1 - seconds; at >= oldest; at -= seconds) {
    const isCounted = first + at >= knownSince.value
    const middle = first + at + seconds / 2
    const rate = isCounted ? undefined : rates.value.find((one) => one.from <= middle && middle <= one.at)
    const values = families.map((family) => (isCounted ? sum(counts[family].slice(at, at + seconds)) / seconds : 0))
    found.push({ values: [...values, rate?.events ?? 0], known: isCounted || rate !== undefined })
  }
  return found.reverse()
}
