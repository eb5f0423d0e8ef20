import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { AnyConsumerName, ConsumerName } from "../domain/consumers/Consumer.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { type Event, EventQuery, type EventType } from "../domain/events/Event.ts"
import { Id } from "../domain/Id.ts"
import {
  countOption,
  durationOption,
  functionOption,
  type OptionTable,
  optionsCheck,
  signalOption,
  valuesOf
} from "../domain/options.ts"
import { PageQuery } from "../domain/PageQuery.ts"
import { shown } from "../domain/shown.ts"
import { type Validated, validator } from "../domain/validate.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { withoutSpan } from "../programs/tracing.ts"
import type { Consumers } from "../runtime/consumers/Consumers.ts"
import type { ConsumerFailure } from "../runtime/consumers/EventHandler.ts"
import type { ConsumerDefinition, RunningConsumer } from "../runtime/consumers/runConsumer.ts"
import type { ConsumeOptions, ConsumeSettings } from "./ConsumerMethods.ts"
import { withoutOptions } from "./callOptions.ts"

const readName = validator(Schema.Struct({ name: ConsumerName }))
const readAnyName = validator(Schema.Struct({ name: AnyConsumerName }))
const readEvent = validator(Schema.Struct({ name: AnyConsumerName, seq: Id }))
const readQuery = validator(EventQuery)

export const consumeOptions = {
  after: { schema: Schema.Unknown },
  types: { schema: Schema.Unknown },
  parkAfter: { schema: countOption("a whole number of attempts, 1 or more", 1) },
  timeout: { schema: durationOption, default: "5 minutes" },
  concurrency: { schema: countOption("a whole number of events, 1 or more", 1) },
  onError: { schema: functionOption("a function of an error, an event and its failure") },
  signal: { schema: signalOption }
} satisfies OptionTable<ConsumeOptions>

const checkOptions = optionsCheck("events.consume", "{ after: 0 }", consumeOptions)

const orFail = <A>(validated: Validated<A>): Effect.Effect<A, ValidationFailed> =>
  Effect.fromResult(Result.mapError(validated, ValidationFailed.of))

/** Returns the options. Throws a TypeError for a handler or options of the wrong type, which plain JavaScript may pass. */
export const checkConsume = <Options>(handler: unknown, options: Options): Options => {
  if (typeof handler !== "function")
    throw new TypeError(
      `events.consume takes a name and a function that handles each event, not ${shown(handler)}, in this order`
    )
  return checkOptions(options)
}

/** Fails unless it is the name of a consumer, of the host application or of the petstore itself. */
const checkedName = (name: string): Effect.Effect<unknown, ValidationFailed> => orFail(readAnyName("", { name }))

/** Fails unless these are the name of a consumer and the `seq` of an event. */
const checkedEvent = (name: string, seq: number): Effect.Effect<unknown, ValidationFailed> =>
  orFail(readEvent("", { name, seq }))

/** The checked definition of a consumer, without what handles its events. */
export const consumerDefinition = <T extends EventType>(
  name: string,
  settings: ConsumeSettings<T>
): Effect.Effect<Omit<ConsumerDefinition, "handler" | "onFailure">, ValidationFailed> =>
  Effect.gen(function* () {
    const { after, concurrency, parkAfter, types } = settings
    const { timeout } = valuesOf(consumeOptions, settings)
    yield* orFail(readName("", { name }))
    yield* orFail(readQuery("/query", { after, types }))
    return { name, after, types, parkAfter, concurrency, timeout: Duration.toMillis(timeout) }
  })

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
  const checked = (query: PageQuery) => orFail(readPage("/query", query))
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
      list: withoutOptions(
        "events.consumers.list",
        (query: PageQuery = {}) => Effect.flatMap(checked(query), service.list),
        1
      ),
      /** Reads a consumer. */
      get: withoutOptions(
        "events.consumers.get",
        (name: string) => Effect.andThen(checkedName(name), service.get(name)),
        1
      ),
      /** Removes a consumer with its position and its parked events. Where it is open, it ends. */
      remove: withoutOptions(
        "events.consumers.remove",
        (name: string) => Effect.andThen(checkedName(name), service.remove(name)),
        1
      ),
      /** Lists one page of the parked events of a consumer, in ascending order of `seq`. */
      parked: withoutOptions(
        "events.consumers.parked",
        (name: string, query: PageQuery = {}) =>
          Effect.andThen(
            checkedName(name),
            Effect.flatMap(checked(query), (page) => service.parked(name, page))
          ),
        2
      ),
      /** Handles a parked event once more; a success removes it. */
      replay: withoutOptions(
        "events.consumers.replay",
        (name: string, seq: number) => Effect.andThen(checkedEvent(name, seq), service.replay(name, seq)),
        2
      ),
      /** Forgets a parked event, so that it is never handled. */
      discard: withoutOptions(
        "events.consumers.discard",
        (name: string, seq: number) => Effect.andThen(checkedEvent(name, seq), service.discard(name, seq)),
        2
      )
    }
  }
}
