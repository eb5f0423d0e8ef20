import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"

/** How the log is written. */
export const logFormats = ["auto", "pretty", "logfmt", "json"] as const

export type LogFormat = (typeof logFormats)[number]

/** One JSON object a line: time, level and message, then what is known of the request and its trace, then the cause. */
const json = Logger.make<unknown, string>((entry) => {
  const { annotations, cause, level, message, timestamp } = Logger.formatStructured.log(entry)
  const span = Context.getOrUndefined(entry.fiber.context, Tracer.ParentSpan)
  const trace = span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }
  return JSON.stringify({ timestamp, level, message, ...trace, ...annotations, cause })
})

const pretty = () => Logger.consolePretty({ colors: process.stderr.hasColors?.() ?? false })

const loggerOf = (format: LogFormat): Logger.Logger<unknown, void> => {
  if (format === "json") return Logger.withConsoleError(json)
  return format === "pretty" || (format === "auto" && process.stderr.isTTY)
    ? pretty()
    : Logger.withConsoleError(Logger.formatLogFmt)
}

/** Logs to standard error in a format. */
export const loggerIn = (format: LogFormat) =>
  Layer.mergeAll(Logger.layer([loggerOf(format)]), Layer.succeed(Logger.LogToStderr, true))

/** Logs to standard error: pretty-printed on a terminal, else as key=value lines. */
export const logger = loggerIn("auto")
