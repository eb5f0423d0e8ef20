import * as CliOutput from "effect/cli/CliOutput"
import { wrap } from "./text.ts"

const gap = "  "

/** A column is never narrower than this for the sake of others, in characters. */
const fewestColumnCharacters = 10

const total = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, width) => sum + width, (widths.length - 1) * gap.length)

/** Makes the widest columns narrower until the table fits or every column has its least width. */
const shrink = (widths: ReadonlyArray<number>, least: ReadonlyArray<number>, width: number): ReadonlyArray<number> => {
  const shrunk = [...widths]
  while (total(shrunk) > width) {
    const spare = shrunk.map((own, at) => (own > (least[at] ?? 0) ? own : 0))
    const widest = Math.max(...spare)
    if (widest === 0) break
    shrunk[spare.lastIndexOf(widest)] = widest - 1
  }
  return shrunk
}

const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

/** Formats rows as a table of at most a width, in characters. Cells that are too long continue on further lines. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, width = Number.POSITIVE_INFINITY): string => {
  const widest = (partsOf: (cell: string) => ReadonlyArray<string>) => {
    const widths: Array<number> = []
    for (const row of rows) {
      for (const [at, cell] of row.entries()) {
        for (const part of partsOf(cell)) widths[at] = Math.max(widths[at] ?? 0, CliOutput.displayWidth(part))
      }
    }
    return widths
  }
  const words = widest((cell) => cell.split(" "))
  const withWholeWords = shrink(
    widest((cell) => [cell]),
    words,
    width
  )
  const widths = shrink(withWholeWords, Array(words.length).fill(fewestColumnCharacters), width)
  return rows
    .flatMap((row) => {
      const cells = row.map((text, at) => wrap(text, widths[at] ?? 0, { breakWords: true }))
      const height = Math.max(1, ...cells.map((lines) => lines.length))
      return Array.from({ length: height }, (_, line) =>
        cells
          .map((lines, at) => pad(lines[line] ?? "", widths[at] ?? 0))
          .join(gap)
          .trimEnd()
      )
    })
    .join("\n")
}
