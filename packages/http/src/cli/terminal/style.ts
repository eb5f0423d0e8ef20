import { styleText } from "node:util"
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
