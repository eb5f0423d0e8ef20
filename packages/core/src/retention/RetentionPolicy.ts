import * as Context from "effect/Context"
import type { Retention } from "./Retention.ts"

/** How long this engine keeps what it needs no longer; for ever by default. */
export const RetentionPolicy: Context.Reference<Retention> = Context.Reference<Retention>(
  "@petstore/core/retention/RetentionPolicy",
  { defaultValue: () => ({}) }
)
