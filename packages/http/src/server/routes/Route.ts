import type { PetstoreError } from "@petstore/core/domain"
import type { Engine } from "@petstore/core/services"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"

/** How a request goes on with its body, after its headers were accepted. */
export class BodyHandler {
  /** The most bytes that the body may have. */
  readonly limit: number
  readonly run: (bytes: Uint8Array) => Effect.Effect<HttpResponse, PetstoreError>
  /** The services that it runs with. */
  readonly servicesOf: (engine: Context.Context<Engine>) => Context.Context<Engine>

  constructor(limit: number, run: BodyHandler["run"], servicesOf: BodyHandler["servicesOf"]) {
    this.limit = limit
    this.run = run
    this.servicesOf = servicesOf
  }
}

/** Handles one method at one path. */
export interface Route {
  /** For the log. */
  readonly name: string
  /** The path with the names of its parameters in braces, of an operation. */
  readonly template?: string
  /**
   * An `operation` is rejected while too many requests are being handled and while the server stops. A `probe` (a health check)
   * and a `page` are always served, a probe without delay under load.
   */
  readonly kind: "operation" | "probe" | "page"
  /** Whether it logs failures with status 503 itself. */
  readonly logsUnavailable?: true
  /** Adds the headers of all its responses, errors included. */
  readonly addHeaders?: (context: RequestContext) => void
  readonly run: (context: RequestContext) => Effect.Effect<HttpResponse | BodyHandler, PetstoreError>
}
