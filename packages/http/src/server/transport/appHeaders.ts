import type { ServerResponse } from "node:http"
import { ignoreRejection, used } from "./appObjects.ts"

const itemsOf = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** The items of both lists, each once. */
const union = (first: string, second: string): string => {
  const items = [...itemsOf(first), ...itemsOf(second)]
  const names = items.map((item) => item.toLowerCase())
  return names.includes("*") ? "*" : items.filter((_, index) => names.indexOf(names[index] ?? "") === index).join(", ")
}

const appended = (app: string, own: string): string => `${app}, ${own}`

/** What an app may forbid caches and proxies, too. What it allows them does not hold for the petstore's responses. */
const restrictions = /(?:^|,)\s*(?:private|no-store|no-transform)\s*(?=,|$)/gi

/** How to join the values of a header whose value is a list: that of the response so far, and another. */
const joins: ReadonlyMap<string, (app: string, own: string) => string> = new Map([
  ["Vary", union],
  ["Cache-Control", (app, own) => union(own, (app.match(restrictions) ?? []).join())],
  ["Link", appended],
  ["RateLimit", appended],
  ["RateLimit-Policy", appended],
  ["Access-Control-Expose-Headers", appended]
])

/**
 * Adds headers, which are names and values in turn, to those that an app has set. One at a time: not all middleware that wraps
 * `writeHead` reads an array.
 */
export const addHeaders = (response: ServerResponse, headers: ReadonlyArray<string>): void => {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ""
    const own = headers[index + 1] ?? ""
    const join = joins.get(name)
    const app = join === undefined ? undefined : used(response.getHeader(name))
    const value = join === undefined || app === undefined ? own : join([app].flat().join(", "), own)
    const returned: unknown = response.setHeader(name, value)
    if (returned !== response) ignoreRejection(returned)
  }
}

/** Headers that describe the bytes of a body, or where it ends. Those of the app describe another body. */
const ofBody: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-range",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Removes what an app has set that would say of the response where or what it is not. It may still close the connection. */
export const removeFraming = (response: ServerResponse): void => {
  // Most apps have set few headers, or none.
  for (const name of used(response.getHeaderNames())) {
    if (ofBody.has(name)) ignoreRejection(response.removeHeader(name))
    if (name !== "connection") continue
    const closes = /(?:^|,)\s*close\s*(?:,|$)/i.test(String(used(response.getHeader(name))))
    ignoreRejection(closes ? response.setHeader("Connection", "close") : response.removeHeader(name))
  }
}
