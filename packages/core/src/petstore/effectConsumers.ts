import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { ConsumerName } from "../domain/consumers/Consumer.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { type Event, EventQuery, type EventType } from "../domain/events/Event.ts"
import { consumerInputs } from "../domain/methodInputs.ts"
import {
  countOption,
  durationOption,
  functionOption,
  type OptionTable,
  optionsCheck,
  signalOption,
  valuesOf
} from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import { type Validated, validator } from "../domain/validate.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { withoutSpan } from "../programs/tracing.ts"
import type { ErrorsOf, UntypedEffect, UntypedMethod } from "../programs/UseCase.ts"
import type { Consumers } from "../runtime/consumers/Consumers.ts"
import type { ConsumerFailure } from "../runtime/consumers/EventHandler.ts"
import type { ConsumerDefinition, RunningConsumer } from "../runtime/consumers/runConsumer.ts"
import type { ConsumeOptions, ConsumersMethods, ConsumeSettings } from "./ConsumerMethods.ts"
import { checkedMethod } from "./checkedMethod.ts"
import type { EffectMethods } from "./EffectMethods.ts"
import { mapGroup } from "./methods.ts"

const readName = validator(Schema.Struct({ name: ConsumerName }))
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

export const logFailure =
  (name: string) =>
  (error: unknown, event?: Event, failure?: ConsumerFailure): Effect.Effect<void> => {
    if (event === undefined) return Effect.logError(`The consumer ${name} could not read or write the store`, error)
    const then = failure?.parked === true ? "it is parked" : `it is tried again at ${failure?.retryAt}`
    return Effect.logError(`The consumer ${name} failed with event ${event.seq}; ${then}`, error)
  }

/** What the methods of `events.consumers` take. Only a petstore in process removes consumers. */
export const consumersInputs = { ...consumerInputs, remove: consumerInputs.get }

type Inputs = typeof consumersInputs

type ConsumerErrors = { readonly [Name in keyof Inputs]: ErrorsOf<Inputs[Name]> }

/** The consumers of events as effects; `apart` is how each of them runs. */
export const effectConsumers = (
  service: Consumers["Service"],
  apart: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
) => ({
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
      return yield* apart(
        service.consume({ ...definition, handler: { kind: "each", handle }, onFailure: logFailure(name) })
      )
    }),
  consumers: mapGroup<EffectMethods<ConsumersMethods, ConsumerErrors>, UntypedEffect>(consumersInputs, (name, input) =>
    checkedMethod(`events.consumers.${name}`, input, (...inputs) =>
      apart((service[name] as UntypedMethod<UntypedEffect>)(...inputs))
    )
  )
})
