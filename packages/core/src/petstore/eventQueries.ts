import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { type Event, EventListQuery, EventQuery, type EventType } from "../domain/events/Event.ts"
import type { Page } from "../domain/Page.ts"
import { validator } from "../domain/validate.ts"
import type { EventSource, Follower } from "../programs/events/EventSource.ts"

const checkListQuery = validator(EventListQuery)

/** Lists one page of events, in ascending order of `seq`. Checks the query. */
export const checkedList =
  <E, ListError>({ list }: EventSource<E, ListError>) =>
  (query: EventListQuery = {}): Effect.Effect<Page<Event>, ValidationFailed | E | ListError> => {
    const input = checkListQuery("/query", query)
    return Result.isFailure(input) ? Effect.fail(ValidationFailed.of(input.failure)) : list(query)
  }

const checkQuery = validator(EventQuery)

/** Follows the events of a query in the log, from `after` or from now on. */
export const followEvents = Effect.fnUntraced(function* <T extends EventType, E>(
  source: Pick<EventSource<E>, "follow">,
  query: EventQuery<T>
): Effect.fn.Return<Follower<T, E>, ValidationFailed | E, Scope.Scope> {
  const input = checkQuery("/query", query)
  if (Result.isFailure(input)) return yield* Effect.fail(ValidationFailed.of(input.failure))
  const { after, subject, types } = query
  return yield* source.follow(after, { subject, types: types === undefined ? undefined : new Set(types) })
})
