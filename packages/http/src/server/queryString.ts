import type { Violation } from "@petstore/core/domain"
import { limits } from "@petstore/core/domain"

/** The parameters of a query as they were sent. */
export type QueryValues = Record<string, string | ReadonlyArray<string>>

/** Which parameters there are, and which of them may be sent more than once. */
export type KnownParameters = ReadonlyMap<string, "once" | "repeated">

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const pointer = (name: string): string => {
  const shown = name.length > limits.shownKey ? `${name.slice(0, limits.shownKey)}…` : name
  return `/query/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`
}

/** Reads a query strictly; what is wrong with it is added to the violations. */
export const readQuery = (query: string, known: KnownParameters, violations: Array<Violation>): QueryValues => {
  const values: Record<string, string | Array<string>> = {}
  if (query === "") return values
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const sentName = equals === -1 ? pair : pair.slice(0, equals)
    const name = decode(sentName) ?? sentName
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
    const kind = known.get(name)
    const before = kind === undefined ? undefined : values[name]
    if (kind === undefined) {
      violations.push({ path: pointer(name), message: "Unknown parameter" })
    } else if (value === undefined) {
      violations.push({ path: pointer(name), message: "Expected percent-encoded UTF-8" })
    } else if (kind === "repeated") {
      if (Array.isArray(before)) before.push(value)
      else values[name] = [value]
    } else if (before !== undefined) {
      violations.push({ path: pointer(name), message: "Expected this parameter once" })
    } else {
      values[name] = value
    }
  }
  return values
}
