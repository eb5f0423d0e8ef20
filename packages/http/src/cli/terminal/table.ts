import * as CliOutput from "effect/cli/CliOutput"

/** Rows in columns that are as wide as they have to be. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => CliOutput.displayWidth(row[at] ?? "")))
  )
  const pad = (text: string, width = 0): string => text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))
  return rows
    .map((row) =>
      row
        .map((text, at) => pad(text, widths[at]))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
