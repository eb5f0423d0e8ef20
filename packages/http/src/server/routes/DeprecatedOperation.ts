import { OperationSunset } from "@petstore/core/domain"
import * as Metric from "effect/Metric"
import type { Deprecation } from "../../api/operation.ts"
import { type Operation, pathTemplate } from "../../api/operations.ts"
import type { Caller } from "../authentication/Authenticator.ts"
import { pathFiller, pathParameters } from "../request/pathParameters.ts"
import type { PublicPaths } from "./PublicPaths.ts"

/** How long a key that goes on using a deprecated operation is not mentioned in the log again, in milliseconds. */
const quiet = 60 * 60 * 1000

/** How often deprecated operations were used. */
export const deprecatedOperationUses = Metric.counter("petstore_deprecated_operation_uses", {
  description: "Uses of operations that have a sunset date",
  incremental: true
})

const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const called = (id: Caller["id"]): string => {
  if (typeof id === "string") return id
  return id === 0 ? "The admin key of the settings" : `API key ${id}`
}

/** What is said on every answer of an operation that has a sunset date, and what becomes of it then. */
export class DeprecatedOperation {
  private readonly deprecation: Deprecation
  private readonly sunset: number
  private readonly headers: ReadonlyArray<string>
  private readonly links: string
  private readonly successor: string
  private readonly successorOf: (values: ReadonlyArray<string>) => string
  private readonly uses = new Map<Caller["id"], { since: number; count: number }>()
  private readonly operation: string
  /** Counts the uses by all keys. */
  readonly metric: Metric.Counter<number>

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
    this.metric = Metric.withAttributes(deprecatedOperationUses, { operation: operation.id })
    this.successor = paths.base + deprecation.successor
    this.successorOf = pathFiller(this.successor, pathParameters(operation.path))
  }

  /** Adds the headers that tell of the end (RFC 9745, RFC 8594) and of the successor. */
  announce(values: ReadonlyArray<string>, headers: Array<string>): void {
    headers.push(...this.headers, "Link", `${this.links}, <${this.successorOf(values)}>; rel="successor-version"`)
  }

  /** A refusal from the sunset date on. */
  ended(values: ReadonlyArray<string>, now: number): OperationSunset | undefined {
    if (now < this.sunset) return undefined
    return new OperationSunset({ sunset: this.deprecation.sunset, successor: this.successorOf(values) })
  }

  /** What to warn of in the log when someone uses it: on the first use, and once an hour from then on. */
  warning(callerId: Caller["id"], now: number): string | undefined {
    const { sunset } = this.deprecation
    const last = this.uses.get(callerId)
    if (last !== undefined && now - last.since < quiet) {
      last.count++
      return undefined
    }
    this.uses.set(callerId, { since: now, count: 0 })
    const more = last === undefined || last.count === 0 ? "" : `, ${last.count} times more since the last warning`
    return `${called(callerId)} uses ${this.operation}${more}. It ends on ${sunset}; use ${pathTemplate(this.successor)} instead.`
  }
}
