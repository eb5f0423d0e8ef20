import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { Event, EventListQuery, EventQuery, EventType } from "../domain/events/Event.ts"
import type { EventSource } from "../programs/events/EventSource.ts"
import { restCheck, withoutOptions } from "./callOptions.ts"
import { allPages } from "./EffectMethods.ts"
import { checkedList, followEvents } from "./eventQueries.ts"

/** The methods of `events` as effects. */
export const effectEvents = <E, ListError = never>(source: EventSource<E, ListError>) => {
  const list = withoutOptions("events.list", checkedList(source), 1)
  const [refusalOfAll, refusalOfStream] = [restCheck("events.list", 1), restCheck("events.stream", 1)]
  type Following<T extends EventType> = Stream.Stream<Event<T>, ValidationFailed | E>
  const all: (query?: EventListQuery) => Stream.Stream<Event, ValidationFailed | E | ListError> = (
    query = {},
    ...rest: ReadonlyArray<unknown>
  ) => Stream.unwrap(refusalOfAll(rest) ?? Effect.succeed(allPages(list, query)))
  const stream: <const T extends EventType = EventType>(query?: EventQuery<T>) => Following<T> = (
    query = {},
    ...rest: ReadonlyArray<unknown>
  ) =>
    Stream.unwrap(
      refusalOfStream(rest) ??
        Effect.map(followEvents(source, query), ({ next }) => Stream.fromIterableEffectRepeat(next))
    )
  return {
    /** The `seq` of the last event; 0 if there is none. */
    latest: source.latest,
    /** Lists one page of events, in ascending order of `seq`. */
    list,
    /** A stream of the events of all pages, up to the last one. */
    all,
    /**
     * A stream of every event after `after`, including future ones, each as soon as it is committed. It never ends; when
     * the petstore closes it fails with `ShuttingDown`, and with `CursorExpired` if the next event is no longer kept. To
     * continue after a failure or restart, pass the last `seq`.
     */
    stream
  }
}

/** The methods of `events` as effects, which fail with `E`. */
export interface EffectEvents<E> extends ReturnType<typeof effectEvents<E>> {}
