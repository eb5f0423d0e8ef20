import type { ErrorCode, Scope } from "@petstore/core/domain"
import * as Context from "effect/Context"
import type { EntityTagKind } from "./EntityTag.ts"

// What an operation promises beside its schemas. The server, the published description and the client read it from here.

/** The scopes that a key needs for the operation. Every operation says them; there is no default. */
export const Scopes = Context.Reference<ReadonlyArray<Scope> | undefined>("@petstore/http/api/Scopes", {
  defaultValue: () => undefined
})

/** A scope that is needed only if this field of the body is true. */
export interface ScopeOfBody {
  readonly field: string
  readonly scope: Scope
  /** Whether a body with this field alone needs this scope alone; if absent, it is always needed beside those of the operation. */
  readonly sufficesAlone?: true
}

export const BodyScope = Context.Reference<ScopeOfBody | undefined>("@petstore/http/api/BodyScope", {
  defaultValue: () => undefined
})

/**
 * What the operation does with an `Idempotency-Key`. Where it refuses one, its answer holds a secret that is kept
 * nowhere, so that it could not be answered again.
 */
export const IdempotencyKey = Context.Reference<"honoured" | "ignored" | "refused">(
  "@petstore/http/api/IdempotencyKey",
  { defaultValue: () => "ignored" }
)

/** Which entity tag the answer carries. Reads then honour `If-None-Match`, updates and deletions `If-Match`. */
export const EntityTag = Context.Reference<EntityTagKind | undefined>("@petstore/http/api/EntityTag", {
  defaultValue: () => undefined
})

/** The path of what was created; `:field` stands for a field of the answer. */
export const Location = Context.Reference<`/${string}` | undefined>("@petstore/http/api/Location", {
  defaultValue: () => undefined
})

/** Whether the answer holds a secret, so that nobody on the way may keep it. */
export const Secret = Context.Reference<boolean>("@petstore/http/api/Secret", { defaultValue: () => false })

/** The errors of the operation itself; {@link errorCodes} adds those that follow from the rest of its description. */
export const Errors = Context.Reference<ReadonlyArray<ErrorCode>>("@petstore/http/api/Errors", {
  defaultValue: () => []
})

/** Whether rules of the host may refuse the operation, with codes of the host's own. */
export const HostRules = Context.Reference<boolean>("@petstore/http/api/HostRules", { defaultValue: () => false })

/** How an operation ends. Days are ISO dates; the operation ends as the day of its sunset begins, in UTC. */
export interface Deprecation {
  readonly announced: string
  readonly sunset: string
  /** The path of the operation to use instead; `:name` is the same parameter as in the path of the old one. */
  readonly successor: `/${string}`
}

/** How far an operation can be relied on. */
export interface OperationMarks {
  readonly stability?: "beta" | "experimental"
  readonly deprecation?: Deprecation
  /** Whether the reference page offers to try the operation out. */
  readonly tryOut?: boolean
}

export const Marks = Context.Reference<OperationMarks>("@petstore/http/api/Marks", { defaultValue: () => ({}) })
