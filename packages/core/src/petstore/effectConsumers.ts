import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Consumers, RunningConsumer } from "../consumers/Consumers.ts"
import type { ConsumerFailure } from "../consumers/EventHandler.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { PageQuery } from "../domain/PageQuery.ts"
import { validator } from "../domain/validate.ts"
import type { Event, EventType } from "../events/Event.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { withoutSpan } from "../services/tracing.ts"
import type { ConsumeSettings } from "./ConsumerMethods.ts"
import { checkConsume, checkedEvent, checkedName, consumerDefinition } from "./consumerDefinition.ts"

const readPage = validator(PageQuery)

/** Logs the failures of a consumer. */
export const logFailure =
  (name: string) =>
  (error: unknown, event?: Event, failure?: ConsumerFailure): Effect.Effect<void> => {
    if (event === undefined) return Effect.logError(`The consumer ${name} could not read or write the store`, error)
    const then = failure?.parked === true ? "it is parked" : `it is tried again at ${failure?.retryAt}`
    return Effect.logError(`The consumer ${name} failed with event ${event.seq}; ${then}`, error)
  }

/** The consumers of events as effects. */
export const effectConsumers = (service: Consumers["Service"]) => {
  const checked = (query: PageQuery) =>
    Effect.fromResult(Result.mapError(readPage("/query", query), ValidationFailed.of))
  return {
    /**
     * Handles every event, at least once and in order of `seq`, until the scope closes: the position is kept in the store under
     * this name, and one process at a time handles events. An event that fails is tried again with backoff; failures are logged.
     */
    consume: <E, R, const T extends EventType = EventType>(
      name: string,
      handler: (event: Event<T>, attempt: number) => Effect.Effect<unknown, E, R>,
      settings: ConsumeSettings<T> = {}
    ): Effect.Effect<RunningConsumer, ValidationFailed | CursorExpired | StorageError, R | Scope.Scope> =>
      Effect.gen(function* () {
        checkConsume(handler, settings)
        const definition = yield* consumerDefinition(name, settings)
        const context = withoutSpan(yield* Effect.context<R>())
        // The service passes events of the types of the definition alone.
        const handle = (event: Event, attempt: number) =>
          Effect.provideContext(
            Effect.suspend(() => handler(event as Event<T>, attempt)),
            context
          )
        return yield* service.consume({
          ...definition,
          handler: { kind: "each", handle },
          onFailure: logFailure(name)
        })
      }),
    consumers: {
      /** Lists one page of the consumers of this database, in the order of their names. */
      list: (query: PageQuery = {}) => Effect.flatMap(checked(query), service.list),
      /** Reads a consumer. */
      get: (name: string) => Effect.andThen(checkedName(name), service.get(name)),
      /** Removes a consumer with its position and its parked events. Where it is open, it ends. */
      remove: (name: string) => Effect.andThen(checkedName(name), service.remove(name)),
      /** Lists one page of the parked events of a consumer, in ascending order of `seq`. */
      parked: (name: string, query: PageQuery = {}) =>
        Effect.andThen(
          checkedName(name),
          Effect.flatMap(checked(query), (page) => service.parked(name, page))
        ),
      /** Has a parked event handled once more; a success removes it. */
      replay: (name: string, seq: number) => Effect.andThen(checkedEvent(name, seq), service.replay(name, seq)),
      /** Forgets a parked event, so that it is never handled. */
      discard: (name: string, seq: number) => Effect.andThen(checkedEvent(name, seq), service.discard(name, seq))
    }
  }
}
