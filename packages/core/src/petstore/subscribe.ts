import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Event, type EventType, isOfType } from "../domain/Event.ts"
import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { CursorExpired } from "../domain/errors/RequestErrors.ts"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Events } from "../services/Events.ts"
import type { SubscribeOptions, Subscription } from "./EventMethods.ts"
import { followEvents } from "./followEvents.ts"

const attempt = (call: () => unknown): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise({ try: async () => call(), catch: (error) => error })

/** Calls a listener with the events of a petstore; `closing` ends the subscription when the petstore closes. */
export const subscribe = <T extends EventType>(
  events: Events["Service"],
  listener: (event: Event<T>) => unknown,
  { onError, signal, ...query }: SubscribeOptions<T>,
  closing: AbortSignal
): Effect.Effect<Subscription, ValidationFailed | CursorExpired | StorageError> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { next, start } = yield* followEvents(events, query).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const isWanted = isOfType(query.types)
    let position = start
    let closed = false

    const close = (): void => {
      if (closed) return
      closed = true
      Effect.runFork(Scope.close(scope, Exit.void))
    }

    const report = (error: unknown, event?: Event<T>): Effect.Effect<void> => {
      const what = event === undefined ? "The event log could not be read" : `A listener failed with event ${event.seq}`
      return onError === undefined
        ? Effect.logError(what, error)
        : Effect.catch(Effect.asVoid(attempt(() => onError(error, event))), (failure) =>
            Effect.logError(`${what}, and so did onError`, error, failure)
          )
    }

    /** Returns whether the event is handled: not if it failed and `onError` closed the subscription. */
    const call = (event: Event<T>): Effect.Effect<boolean> =>
      Effect.matchEffect(
        attempt(() => listener(event)),
        {
          onSuccess: () => Effect.succeed(true),
          onFailure: (error) => Effect.map(report(error, event), () => !closed)
        }
      )

    const handle = (event: Event): Effect.Effect<void> =>
      Effect.map(isWanted(event) ? call(event) : Effect.succeed(true), (handled) => {
        if (handled) position = event.seq
      })

    const listen = Effect.catchDefect(next, Effect.fail).pipe(
      Effect.flatMap((page) =>
        Effect.forEach(page, (event) => Effect.uninterruptible(handle(event)), { discard: true })
      ),
      Effect.catchIf(
        (error) => !(error instanceof ShuttingDown),
        // The next event will never be there.
        (error) => (error instanceof CursorExpired ? Effect.andThen(report(error), Effect.fail(error)) : report(error))
      ),
      Effect.forever
    )
    const listening = yield* Effect.forkDetach(Effect.catch(listen, () => Effect.sync(close)))
    // Does not wait for the listener, so that closing releases the log however long a call of it takes.
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => listening.interruptUnsafe())
    )

    for (const end of signal === undefined ? [closing] : [closing, signal]) {
      if (end.aborted) close()
      end.addEventListener("abort", close)
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => end.removeEventListener("abort", close))
      )
    }

    return {
      get position() {
        return position
      },
      close,
      [Symbol.dispose]: close
    }
  }).pipe(Effect.uninterruptible)
