import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** The log goes to standard error: for people where that is a terminal, as key=value lines elsewhere. */
export const logger = Layer.mergeAll(
  Logger.layer([
    process.stderr.isTTY
      ? Logger.consolePretty({ colors: process.stderr.hasColors() })
      : Logger.withConsoleError(Logger.formatLogFmt)
  ]),
  Layer.succeed(Logger.LogToStderr, true)
)
