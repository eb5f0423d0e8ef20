import type { PetstoreError } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"

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
  /** The statuses of its successes. */
  readonly successes: ReadonlyArray<number>
  /** Whether it logs failures with status 503 itself. */
  readonly logsUnavailable?: true
  /** Adds the headers of all its responses, errors included. */
  readonly addHeaders?: (context: RequestContext) => void
  readonly run: (context: RequestContext) => Effect.Effect<HttpResponse, PetstoreError>
}
