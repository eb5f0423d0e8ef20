import { isIP } from "node:net"
import * as Option from "effect/Option"
import { serveOptions } from "../../server/options.ts"
import { type FlagSetting, isHostname, isHttpUrl, whole } from "../Setting.ts"
import { type LogFormat, logFormats } from "../terminal/logger.ts"

/** Where metrics are served: nowhere, beside the API, or at an address of their own. */
type MetricsChoice = "off" | "on" | { readonly host: string; readonly port: number }

const parseAddress = (text: string): Option.Option<MetricsChoice> => {
  const [, address = serveOptions.host.default, digits = ""] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? []
  const hostname = address.replace(/^\[(.*)\]$/, "$1")
  return isIP(hostname) === 0 && !isHostname(hostname)
    ? Option.none()
    : Option.map(whole(digits, 0, 65_535), (number) => ({ host: hostname, port: number }))
}

export const metrics: FlagSetting<MetricsChoice> = {
  flag: "metrics",
  env: "PETSTORE_METRICS",
  default: "off",
  metavar: "off|on|PORT|HOST:PORT",
  description:
    "Prometheus metrics at /metrics: on for beside the API, PORT for a server of their own on 127.0.0.1, with the health checks",
  expected: "off, on, a port from 0 to 65535, or HOST:PORT",
  parse: (text) => (text === "off" || text === "on" ? Option.some(text) : parseAddress(text))
}

/** Where traces and metrics are sent; undefined for nowhere. */
export const otlp: FlagSetting<string | undefined> = {
  flag: "otlp",
  env: "OTEL_EXPORTER_OTLP_ENDPOINT",
  default: "off",
  metavar: "URL|off",
  description: "OpenTelemetry collector for traces and metrics, such as http://127.0.0.1:4318",
  expected: "off, or an http or https URL without a user or password",
  parse: (text) => {
    if (text === "off") return Option.some(undefined)
    return isHttpUrl(text) ? Option.some(text) : Option.none()
  }
}

export const accessLog: FlagSetting<boolean> = {
  flag: "access-log",
  env: "PETSTORE_ACCESS_LOG",
  default: "off",
  metavar: "off|on",
  description: "Log each response, except to health checks",
  expected: "off or on",
  parse: (text) => (text === "on" || text === "off" ? Option.some(text === "on") : Option.none())
}

export const logFormat: FlagSetting<LogFormat> = {
  flag: "log-format",
  env: "PETSTORE_LOG_FORMAT",
  default: "auto",
  metavar: "auto|pretty|logfmt|json",
  description: "Format of the log; auto is pretty on a terminal, else logfmt",
  expected: "auto, pretty, logfmt or json",
  parse: (text) => Option.fromUndefinedOr(logFormats.find((format) => format === text))
}
