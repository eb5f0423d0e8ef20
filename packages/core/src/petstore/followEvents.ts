import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { EventQuery } from "../domain/Event.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { validator } from "../domain/validate.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Events, Follower } from "../services/Events.ts"

const decode = validator(EventQuery)

/** Follows the event log from `after` of the query, or from now on. The caller filters the types. */
export const followEvents = Effect.fnUntraced(function* (
  events: Events["Service"],
  query: EventQuery
): Effect.fn.Return<Follower, ValidationFailed | CursorExpired | StorageError, Scope.Scope> {
  const input = decode("/query", query)
  if (Result.isFailure(input)) return yield* Effect.fail(ValidationFailed.of(input.failure))
  return yield* events.follow(input.success.after ?? (yield* events.latest))
})
