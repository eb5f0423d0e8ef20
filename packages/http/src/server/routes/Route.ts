import type { PetstoreError } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import type { Exchange } from "../Exchange.ts"

/** What answers one method at one path. */
export interface Route {
  /** For the log. */
  readonly name: string
  /** Whether it is answered however many requests wait. */
  readonly always: boolean
  /** Whether it logs failures with status 503 itself. */
  readonly logsItself?: true
  /** Whether it is a health check, which is answered at once under load. */
  readonly probe?: boolean
  /** Adds what is said on every answer, errors included. */
  readonly announce?: (exchange: Exchange) => void
  readonly run: (exchange: Exchange) => Effect.Effect<Answer, PetstoreError>
}
