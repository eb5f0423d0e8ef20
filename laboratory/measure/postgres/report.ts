import { type Row, rowOf, type Target } from "../report/Row.ts"
import { quantile } from "../report/statistics.ts"

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** A ratio of orders per second in each round, of which `figure` names both sides, with a slash between them. */
export const ordersRow = (
  figure: string,
  ours: ReadonlyArray<number>,
  peer: ReadonlyArray<number>,
  target?: Target
): Row => {
  const [row = figure, peerName = ""] = figure.split(" / ")
  return rowOf({ row: `PostgreSQL: ${row}`, unit: "orders/s", peerName, ours, peer, target })
}

/** A value that must not exceed a bound. */
export const atMost = (row: string, unit: string, value: number, bound: number): Row =>
  rowOf({ row: `PostgreSQL: ${row}`, unit, peerName: "the most", ours: [value], peer: [bound], target: { atMost: 1 } })
