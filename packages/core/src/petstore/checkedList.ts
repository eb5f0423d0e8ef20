import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Event, EventListQuery } from "../domain/Event.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { Page } from "../domain/Page.ts"
import { validator } from "../domain/validate.ts"
import type { EventSource } from "../services/EventSource.ts"

const decode = validator(EventListQuery)

/** Lists one page of events, in ascending order of `seq`. Checks the query. */
export const checkedList =
  <E, ListError>({ list }: EventSource<E, ListError>) =>
  (query: EventListQuery = {}): Effect.Effect<Page<Event>, ValidationFailed | E | ListError> => {
    const input = decode("/query", query)
    return Result.isFailure(input) ? Effect.fail(ValidationFailed.of(input.failure)) : list(query)
  }
