import * as CliOutput from "effect/cli/CliOutput"

/** The columns of the terminal that standard output is; no limit elsewhere, so that programs read one item per line. */
export const outputWidth = (): number => process.stdout.columns ?? Number.POSITIVE_INFINITY

/** Splits text at blanks into lines of at most this width. A longer word is a line of its own. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && CliOutput.displayWidth(longer) > width) {
      lines.push(line)
      line = word
    } else {
      line = longer
    }
  }
  return [...lines, line]
}
