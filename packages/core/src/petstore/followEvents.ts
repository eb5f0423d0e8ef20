import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { EventQuery, type EventType } from "../domain/Event.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { validator } from "../domain/validate.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Follower } from "../services/EventFollower.ts"
import type { Events } from "../services/Events.ts"

const decode = validator(EventQuery)

/** Follows the events of a query in the log, from `after` or from now on. */
export const followEvents = Effect.fnUntraced(function* <T extends EventType>(
  events: Events["Service"],
  query: EventQuery<T>
): Effect.fn.Return<Follower<T>, ValidationFailed | CursorExpired | StorageError, Scope.Scope> {
  const input = decode("/query", query)
  if (Result.isFailure(input)) return yield* Effect.fail(ValidationFailed.of(input.failure))
  const { after, types } = query
  return yield* events.follow(after, types === undefined ? {} : { types: new Set(types) })
})
