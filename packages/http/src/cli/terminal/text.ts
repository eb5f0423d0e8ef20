import { styleText } from "node:util"
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"

/** Formats text for a terminal, such as `style("green", "ok")`; returns it unchanged if colours are off. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

export const plain: Style = (_, text) => text

export const coloured: Style = (format, text) => styleText(format, text, { validateStream: false })

/** The style of this process: colours on a terminal unless `NO_COLOR` is set, and without a terminal if `FORCE_COLOR` is. */
export const style: Effect.Effect<Style> = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) =>
  canColor ? coloured : plain
)

/** A text that cannot control the terminal: what users wrote might. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}")

/**
 * The width of the terminal; without one no limit, so that programs read one item per line. A terminal whose size nobody has set, as in
 * containers, reports 0.
 */
export const outputWidth = ({ columns }: { readonly columns?: number } = process.stdout): number =>
  columns || Number.POSITIVE_INFINITY

/** Splits a word into parts that fit into a width. */
export const partsOf = (word: string, width: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part = ""
  for (const character of word) {
    if (part !== "" && CliOutput.displayWidth(part + character) > width) {
      parts.push(part)
      part = ""
    }
    part += character
  }
  return [...parts, part]
}

/**
 * Splits text at blanks into lines of at most a width. A longer word has a line of its own, or several lines with
 * `breakWords`.
 */
export const wrap = (text: string, width: number, { breakWords = false } = {}): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  const words = text.split(" ")
  for (const word of breakWords ? words.flatMap((one) => partsOf(one, width)) : words) {
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
