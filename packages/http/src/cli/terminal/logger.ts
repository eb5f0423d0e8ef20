import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Logs to standard error: pretty-printed on a terminal, else as key=value lines. */
export const logger = Layer.mergeAll(
  Logger.layer([
    process.stderr.isTTY
      ? Logger.consolePretty({ colors: process.stderr.hasColors() })
      : Logger.withConsoleError(Logger.formatLogFmt)
  ]),
  Layer.succeed(Logger.LogToStderr, true)
)
