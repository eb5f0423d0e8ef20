import { loadavg } from "node:os"
import { type Row as Comparison, rowOf, type Target } from "../report/Row.ts"
import { type Spread, ratioOf as spreadOfRatios } from "../report/statistics.ts"

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

export const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN

/** A figure of the table with its target. */
export interface Row {
  readonly figure: string
  readonly value: string
  readonly target: string
  /** Undefined if the row only informs. */
  readonly passed: boolean | undefined
  /** The figure as a row of `npm run bench`; absent if it is not about time. */
  readonly comparison?: Comparison
}

/** The ratios of each round, their median and their quartiles. */
export const ratioOf = (values: ReadonlyArray<number>, base: ReadonlyArray<number>) => ({
  values,
  base,
  ...spreadOfRatios(values, base)
})

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

const ratioText = ({ high, low, median }: Spread): string => `${digits(median)} [${digits(low)} to ${digits(high)}]`

/** A ratio of orders per second that must reach a bound. `figure`: what is compared, a slash, and what it is compared with. */
export const atLeast = (figure: string, ratio: ReturnType<typeof ratioOf>, bound: number): Row => ({
  figure,
  value: ratioText(ratio),
  target: `>= ${bound}`,
  passed: ratio.median >= bound,
  comparison: comparisonOf(figure, "orders/s", ratio.values, ratio.base, { atLeast: bound })
})

/** A ratio that has no bound. */
export const informing = (figure: string, ratio: ReturnType<typeof ratioOf>): Row => ({
  figure,
  value: ratioText(ratio),
  target: "",
  passed: undefined,
  comparison: comparisonOf(figure, "orders/s", ratio.values, ratio.base)
})

/** A ratio, of which `figure` names both sides, and what it must be. */
export const comparisonOf = (
  figure: string,
  unit: string,
  ours: ReadonlyArray<number>,
  peer: ReadonlyArray<number>,
  target?: Target
): Comparison => {
  const [row = figure, peerName = ""] = figure.split(" / ")
  return rowOf({ row: `PostgreSQL: ${row}`, unit, peerName, ours, peer, target })
}

/** A ratio that must reach a bound, with what the fastest way by hand reaches in the same runs. */
export const withLimit = (
  figure: string,
  ratio: ReturnType<typeof ratioOf>,
  bound: number,
  limit: ReturnType<typeof ratioOf>
): Row => ({
  ...atLeast(figure, ratio, bound),
  target: `>= ${bound}; the limit is ${digits(limit.median)}, of which this is ${digits(ratio.median / limit.median)}`
})

/** A value that must not exceed a bound. */
export const atMost = (figure: string, value: number, bound: number, unit: string, detail = ""): Row => ({
  figure,
  value: `${digits(value)}${unit}${detail}`,
  target: `<= ${bound}${unit}`,
  passed: value <= bound,
  comparison: rowOf({
    row: `PostgreSQL: ${figure}`,
    unit: unit.trim(),
    peerName: "the most",
    ours: [value],
    peer: [bound],
    target: { atMost: 1 }
  })
})

/** Something that must not happen. */
export const none = (figure: string, count: number): Row => ({
  figure,
  value: String(count),
  target: "0",
  passed: count === 0
})

export const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(", ")

/** Prints the table, and returns whether every row with a target reached it. */
export const print = (rows: ReadonlyArray<Row>): boolean => {
  const cells = [
    ["figure", "measured", "target", ""],
    ...rows.map(({ figure, passed, target, value }) => [
      figure,
      value,
      target,
      passed === undefined ? "" : passed ? "pass" : "FAIL"
    ])
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  for (const row of cells) {
    console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
  }
  return rows.every(({ passed }) => passed !== false)
}
