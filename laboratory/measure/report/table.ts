import { hasPassed, isUndecided, type Row, targetText } from "./Row.ts"
import type { Spread } from "./statistics.ts"

export const numberText = (value: number): string => {
  if (!Number.isFinite(value)) return "?"
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, ",")
}

export const spreadText = ({ high, low, median }: Spread): string =>
  `${numberText(median)} [${numberText(low)} to ${numberText(high)}]`

const verdict = (row: Row): string => {
  const passed = hasPassed(row)
  if (passed !== undefined) return passed ? "yes" : "NO"
  return isUndecided(row) ? "disturbed" : ""
}

const heading = ["row", "unit", "ours", "peer", "", "ratio", "target", "", "CPU µs ours/peer"]

/** The rows as a table of Markdown, without the columns at its end that are empty. */
export const table = (rows: ReadonlyArray<Row>): string => {
  const cells = rows.map((row) => [
    row.row,
    row.unit,
    numberText(row.ours.median),
    numberText(row.peer.median),
    row.peerName,
    spreadText(row.ratio),
    targetText(row.target),
    verdict(row),
    row.processor?.map(numberText).join(" / ") ?? ""
  ])
  const columns = 1 + Math.max(...cells.map((line) => line.findLastIndex((cell) => cell !== "")))
  const all = [heading, heading.map(() => ""), ...cells].map((line) => line.slice(0, columns))
  const widths = heading
    .slice(0, columns)
    .map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0), 3))
  return all
    .map((line, index) =>
      index === 1
        ? `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
        : `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
    )
    .join("\n")
}
