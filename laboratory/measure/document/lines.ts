import { figures } from "../Comparison.ts"
import type { Measured } from "../measure.ts"
import type { Spread } from "../statistics.ts"

/** Two significant digits, or three of what is larger than a hundred. */
export const numberText = (value: number): string => {
  if (value === 0) return "0"
  const digits = value >= 100 ? 3 : 2
  return Number(value.toPrecision(digits)).toLocaleString("en-US", { maximumFractionDigits: 3 })
}

/** The quartiles and the median between them, without a space. */
const spreadText = ({ high, low, median }: Spread): string =>
  `${numberText(low)}–**${numberText(median)}**–${numberText(high)}`

/** Ours, of each figure once. */
export const oursText = (rows: ReadonlyArray<Measured>): string =>
  [
    ...new Map(
      rows.map(({ figure, label, ours }) => [figure, `${label} ${numberText(ours)}${figures[figure].unit}`.trim()])
    ).values()
  ].join(", ")

export const byHand = "by hand"

/** How many times as good as peers ours is, with their names if `isNamed`. */
export const ratiosText = (rows: ReadonlyArray<Measured>, isNamed: boolean): string =>
  rows
    .flatMap(({ label, peer, ratio }) =>
      ratio === undefined ? [] : [[isNamed ? peer : "", label, spreadText(ratio)].filter(Boolean).join(" ")]
    )
    .join(", ")

/** The rows of a comparison in a line for the screen. */
export const lineOf = (rows: ReadonlyArray<Measured>): string => {
  const titles = [...new Set(rows.map(({ title }) => title))]
  const disturbed = rows[0]?.disturbed ?? 0
  const note = disturbed === 0 ? "" : ` (${disturbed} of ${rows[0]?.rounds} rounds disturbed)`
  return titles
    .map((title) => {
      const own = rows.filter((row) => row.title === title)
      return `${title}: ${oursText(own)} ${ratiosText(own, true)}`.replaceAll("**", "")
    })
    .join("\n    ")
    .concat(note)
}
