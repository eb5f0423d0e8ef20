import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnyConsumerName, ConsumerName } from "../consumers/Consumer.ts"
import type { ConsumerDefinition } from "../consumers/Consumers.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { Id } from "../domain/Id.ts"
import { countOption, durationOption, functionOption, optionsCheck, signalOption } from "../domain/options.ts"
import { type Validated, validator } from "../domain/validate.ts"
import { EventQuery, type EventType } from "../events/Event.ts"
import type { ConsumeSettings } from "./ConsumerMethods.ts"

const readName = validator(Schema.Struct({ name: ConsumerName }))
const readAnyName = validator(Schema.Struct({ name: AnyConsumerName }))
const readEvent = validator(Schema.Struct({ name: AnyConsumerName, seq: Id }))
const readQuery = validator(EventQuery)

const checkOptions = optionsCheck("events.consume", "{ after: 0 }", {
  after: Schema.Unknown,
  types: Schema.Unknown,
  parkAfter: countOption("a whole number of attempts, 1 or more", 1),
  timeout: durationOption,
  concurrency: countOption("a whole number of events, 1 or more", 1),
  onError: functionOption("a function of an error, an event and its failure"),
  signal: signalOption
})

const defaultTimeout = 300_000

const millisOf = (timeout: Duration.Input): number =>
  Option.match(Duration.fromInput(timeout), { onNone: () => defaultTimeout, onSome: Duration.toMillis })

const orFail = <A>(validated: Validated<A>): Effect.Effect<A, ValidationFailed> =>
  Effect.fromResult(Result.mapError(validated, ValidationFailed.of))

/** Throws a TypeError for a handler or options of the wrong type, which plain JavaScript may pass. */
export const checkConsume = (handler: unknown, options: unknown): void => {
  if (typeof handler !== "function")
    throw new TypeError("events.consume takes a name and a function that handles each event")
  checkOptions(options)
}

/** Fails unless it is the name of a consumer, of the host application or of the petstore itself. */
export const checkedName = (name: string): Effect.Effect<unknown, ValidationFailed> => orFail(readAnyName("", { name }))

/** Fails unless these are the name of a consumer and the `seq` of an event. */
export const checkedEvent = (name: string, seq: number): Effect.Effect<unknown, ValidationFailed> =>
  orFail(readEvent("", { name, seq }))

/** The checked definition of a consumer, without what handles its events. */
export const consumerDefinition = <T extends EventType>(
  name: string,
  { after, concurrency, parkAfter, timeout = defaultTimeout, types }: ConsumeSettings<T>
): Effect.Effect<Omit<ConsumerDefinition, "handler" | "onFailure">, ValidationFailed> =>
  Effect.gen(function* () {
    yield* orFail(readName("", { name }))
    yield* orFail(readQuery("/query", { after, types }))
    return { name, after, types, parkAfter, concurrency, timeout: millisOf(timeout) }
  })
