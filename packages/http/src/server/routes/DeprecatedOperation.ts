import { OperationSunset } from "@petstore/core/domain"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { Deprecation } from "../../api/operation.ts"
import { type Operation, parameterNames, pathTemplate } from "../../api/operations.ts"
import type { Caller } from "../authentication/authentication.ts"
import type { PublicPaths } from "./PublicPaths.ts"

/** How long the log does not mention the same key again, in milliseconds. */
const warningIntervalMillis = 60 * 60 * 1000

/** Of how many keys the uses of an operation are counted apart; those of further keys are `other`. */
const countedKeys = 100

const deprecatedOperationUses = Metric.counter("petstore_deprecated_operation_uses_total", {
  description: "Uses of operations that have a sunset date",
  incremental: true
})

const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** A label for metrics: no secret, and few values. Users of the host application count together, since names are personal. */
const labelOf = (id: Caller["id"]): string => {
  if (typeof id === "string") return "user"
  return id === 0 ? "admin" : `key:${id}`
}

const nameOf = (id: Caller["id"]): string => {
  if (typeof id === "string") return id
  return id === 0 ? "The admin key of the server's settings" : `API key ${id}`
}

/** Returns a function that puts values into a path. `names`: which parameter each value is for. */
const pathFiller = (path: string, names: ReadonlyArray<string>): ((values: ReadonlyArray<string>) => string) => {
  const [start = "", ...rest] = path.split(/:(\w+)/)
  const steps = rest.flatMap((name, index) =>
    index % 2 === 0 ? [{ place: names.indexOf(name), text: rest[index + 1] ?? "" }] : []
  )
  return (values) => {
    let filled = start
    for (const { place, text } of steps) filled += encodeURIComponent(values[place] ?? "") + text
    return filled
  }
}

/**
 * An operation that has a sunset date: the headers of its responses, its error from that date on, and its warnings in the
 * log.
 */
export class DeprecatedOperation {
  private readonly deprecation: Deprecation
  private readonly sunset: number
  private readonly headers: ReadonlyArray<string>
  private readonly links: string
  private readonly successor: string
  private readonly successorOf: (values: ReadonlyArray<string>) => string
  private readonly uses = new Map<Caller["id"], { since: number; count: number }>()
  private readonly operation: string
  private readonly id: string
  private readonly counters = new Map<string, Metric.Counter<number>>()

  constructor(operation: Operation, deprecation: Deprecation, paths: PublicPaths) {
    this.operation = `${operation.method} ${pathTemplate(paths.base + operation.path)}`
    this.deprecation = deprecation
    this.sunset = startOfDay(deprecation.sunset)
    this.headers = [
      "Deprecation",
      `@${startOfDay(deprecation.announced) / 1000}`,
      "Sunset",
      new Date(this.sunset).toUTCString()
    ]
    this.links = `<${paths.docs}>; rel="deprecation"; type="text/html", <${paths.docs}>; rel="sunset"; type="text/html"`
    this.id = operation.id
    this.successor = paths.base + deprecation.successor
    this.successorOf = pathFiller(this.successor, parameterNames(operation.path))
  }

  /** Counts a use, by its key. */
  count(callerId: Caller["id"], context: Context.Context<never>): void {
    const label = labelOf(callerId)
    const key = this.counters.has(label) || this.counters.size < countedKeys ? label : "other"
    let counter = this.counters.get(key)
    if (counter === undefined) {
      counter = Metric.withAttributes(deprecatedOperationUses, { operation: this.id, key })
      this.counters.set(key, counter)
    }
    counter.updateUnsafe(1, context)
  }

  /** Adds the headers for the sunset date (RFC 9745, RFC 8594) and for the successor. `values`: of the path parameters. */
  addHeaders(values: ReadonlyArray<string>, headers: Array<string>): void {
    headers.push(...this.headers, "Link", `${this.links}, <${this.successorOf(values)}>; rel="successor-version"`)
  }

  /** Returns the error from the sunset date on; undefined before. `now`: in milliseconds. */
  refusal(values: ReadonlyArray<string>, now: number): OperationSunset | undefined {
    if (now < this.sunset) return undefined
    return new OperationSunset({ sunset: this.deprecation.sunset, successor: this.successorOf(values) })
  }

  /** Notes a use, and returns a warning for the log at a key's first use and once an hour from then on. */
  warning(callerId: Caller["id"], now: number): string | undefined {
    const { sunset } = this.deprecation
    const last = this.uses.get(callerId)
    if (last !== undefined && now - last.since < warningIntervalMillis) {
      last.count++
      return undefined
    }
    this.uses.set(callerId, { since: now, count: 0 })
    const more = last === undefined || last.count === 0 ? "" : `, ${last.count} times more since the last warning`
    return `${nameOf(callerId)} uses ${this.operation}${more}. It ends on ${sunset}; use ${pathTemplate(this.successor)} instead.`
  }
}
