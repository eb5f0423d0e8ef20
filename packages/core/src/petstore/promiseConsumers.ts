import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Event, EventType } from "../domain/events/Event.ts"
import type { CallOptions } from "../programs/Options.ts"
import { outsideBodies } from "../programs/transactions/TransactionBody.ts"
import { CallSignal, startFunction } from "../runtime/background/calls.ts"
import type { Consumers } from "../runtime/consumers/Consumers.ts"
import type { ConsumerFailure, HandlerStart } from "../runtime/consumers/EventHandler.ts"
import type {
  ConsumeOptions,
  ConsumerMethods,
  ConsumersMethods,
  EventAttempt,
  OpenConsumer
} from "./ConsumerMethods.ts"
import { callCheck } from "./callOptions.ts"
import {
  checkConsume,
  consumerDefinition,
  consumersInputs,
  type effectConsumers,
  logFailure
} from "./effectConsumers.ts"
import { promiseGroup, type RunMethod, runChecked } from "./promiseApi.ts"

/** The second argument of a handler. */
class Attempt extends CallSignal implements EventAttempt {
  readonly attempt: number

  constructor(attempt: number) {
    super()
    this.attempt = attempt
  }
}

/** Opens a consumer, which ends when it is closed or the petstore is. */
const open = <T extends EventType>(
  service: Consumers["Service"],
  name: string,
  handler: (event: Event<T>, attempt: EventAttempt) => unknown,
  { onError, signal, ...settings }: ConsumeOptions<T>
) =>
  Effect.gen(function* () {
    const definition = yield* consumerDefinition(name, settings)
    const scope = yield* Scope.make()
    const log = logFailure(name)
    // The service passes events of the types of the definition alone.
    const start: HandlerStart = (event, number) => {
      const attempt = new Attempt(number)
      return startFunction(() => handler(event as Event<T>, attempt), attempt)
    }
    const onFailure = (error: unknown, event?: Event, failure?: ConsumerFailure): Effect.Effect<void> =>
      onError === undefined
        ? log(error, event, failure)
        : Effect.catch(
            Effect.asVoid(
              Effect.tryPromise({
                try: async () => outsideBodies(() => onError(error, event as Event<T> | undefined, failure)),
                catch: (thrown) => thrown
              })
            ),
            (thrown) => Effect.andThen(log(error, event, failure), Effect.logError("onError failed, too", thrown))
          )
    const running = yield* Scope.provide(
      service.consume({ ...definition, handler: { kind: "calls", start }, onFailure }),
      scope
    ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))

    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      signal?.removeEventListener("abort", close)
      closing ??= Effect.runPromise(Effect.andThen(running.close, Scope.close(scope, Exit.void)))
      return closing
    }
    if (signal?.aborted === true) close()
    signal?.addEventListener("abort", close)
    const consumer: OpenConsumer = { name, close, [Symbol.asyncDispose]: close }
    return consumer
  }).pipe(Effect.uninterruptible)

/** `petstore.events.consume` and `petstore.events.consumers`. */
export const promiseConsumers = (
  service: Consumers["Service"],
  methods: ReturnType<typeof effectConsumers>["consumers"],
  runMethod: RunMethod<CallOptions>
): ConsumerMethods => {
  const consume = runChecked(runMethod, callCheck("events.consume", {}, 2))
  return {
    consume: async (name, handler, options = {}, ...more: ReadonlyArray<unknown>) => {
      const settings = checkConsume(handler, options)
      return await consume(open(service, name, handler, settings), { signal: settings.signal }, more)
    },
    consumers: promiseGroup<ConsumersMethods>("events.consumers", consumersInputs, methods, runMethod, callCheck)
  }
}
