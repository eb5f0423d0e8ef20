import { hasPassed, type Row } from "./Row.ts"
import { numberText } from "./table.ts"

const labelWidth = 430
const plotWidth = 420
const lineHeight = 24
const top = 34
const colours = { passed: "#2e7d32", failed: "#c62828", informs: "#607d8b" }

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** The ratios on a logarithmic scale from a tenth to ten: a dot for the median, a line for the quartiles, a tick for the target. */
export const picture = (rows: ReadonlyArray<Row>): string => {
  const x = (ratio: number): number =>
    labelWidth + (plotWidth * (Math.log10(Math.min(10, Math.max(0.1, ratio))) + 1)) / 2
  const height = top + rows.length * lineHeight + 10
  const grid = [0.1, 0.2, 0.5, 1, 2, 5, 10].map(
    (ratio) =>
      `<line x1="${x(ratio)}" x2="${x(ratio)}" y1="${top - 8}" y2="${height - 10}" stroke="${ratio === 1 ? "#888" : "#ddd"}"/>` +
      `<text x="${x(ratio)}" y="${top - 14}" text-anchor="middle">${ratio}</text>`
  )
  const lines = rows.map((row, index) => {
    const y = top + index * lineHeight + 8
    const passed = hasPassed(row)
    const colour = passed === undefined ? colours.informs : passed ? colours.passed : colours.failed
    const target = row.target === undefined ? undefined : Object.values(row.target)[0]
    return (
      `<text x="${labelWidth - 10}" y="${y + 4}" text-anchor="end">${escaped(`${row.row} / ${row.peerName}`)}</text>` +
      `<line x1="${x(row.ratio.low)}" x2="${x(row.ratio.high)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="4" opacity=".4"/>` +
      `<circle cx="${x(row.ratio.median)}" cy="${y}" r="5" fill="${colour}"/>` +
      (target === undefined
        ? ""
        : `<line x1="${x(target)}" x2="${x(target)}" y1="${y - 8}" y2="${y + 8}" stroke="#000" stroke-width="2"/>`) +
      `<text x="${labelWidth + plotWidth + 12}" y="${y + 4}">${numberText(row.ratio.median)}</text>`
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + plotWidth + 70}" height="${height}" font-family="sans-serif" font-size="12"><title>Speed of Petstore, as ratios to its peers</title>
<rect width="100%" height="100%" fill="#fff"/>
${[...grid, ...lines].join("\n")}
</svg>
`
}
