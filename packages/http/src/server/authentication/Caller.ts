import type { PetstoreError, Scope } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import type { RequestContext } from "../RequestContext.ts"

/** Who sends a request. */
export interface Caller {
  /** The id of an API key, 0 for the admin key of the server's settings, or the actor that the host application named. */
  readonly id: number | string
  readonly accountId: number
  /** The user whose orders and idempotency keys count, if those of the account are not shared. */
  readonly user?: string | undefined
  readonly scopes: ReadonlyArray<Scope>
}

/** Identifies the caller of a request; fails with a 401 if that is not possible. */
export type Authenticate = (context: RequestContext) => Effect.Effect<Caller, PetstoreError>
