import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Events } from "../services/Events.ts"
import type { CallOptions } from "../services/Options.ts"
import { eachWithCallerStack } from "./callerStack.ts"
import { checkCallOptions } from "./callOptions.ts"
import { closedPetstore } from "./closedPetstore.ts"
import type { Petstore } from "./EffectPetstore.ts"
import type { EventMethods } from "./EventMethods.ts"
import { eachItem, type RunMethod } from "./promiseApi.ts"
import { subscribe } from "./subscribe.ts"

const checkListener = (listener: unknown, options: { readonly onError?: unknown }): void => {
  if (typeof listener !== "function") {
    throw new TypeError("events.subscribe takes a function that is called with each event")
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError("events.subscribe takes an object of options, such as { after: 0 }")
  }
  if (options.onError !== undefined && typeof options.onError !== "function") {
    throw new TypeError("The option onError takes a function of an error and an event")
  }
}

/** Fails with the reason of a signal when it is aborted. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const fail = (): void => resume(Effect.fail(signal.reason))
    if (signal.aborted) return fail()
    signal.addEventListener("abort", fail)
    return Effect.sync(() => signal.removeEventListener("abort", fail))
  })

/** The methods of `petstore.events`; `closing` is aborted when the petstore begins to close. */
export const promiseEvents = (
  { events }: Pick<Petstore["Service"], "events">,
  context: Context.Context<Events>,
  run: RunMethod<CallOptions>,
  closing: AbortSignal
): EventMethods => ({
  latest: (options) => run(events.latest, options),
  list: (query, options) => run(events.list(query), options),
  all: (query = {}, options) => eachItem((part) => run(events.list(part), options), query),
  stream: (query, options) => {
    checkCallOptions(options)
    const signal = options?.signal
    const closed = Effect.ignore(aborted(closing))
    const end = signal === undefined ? closed : Effect.raceFirst(closed, aborted(signal))
    // One by one, so that no event follows the end.
    const open = events.stream(query).pipe(
      Stream.rechunk(1),
      Stream.catchTag("ShuttingDown", () => Stream.empty),
      Stream.interruptWhen(end)
    )
    return eachWithCallerStack(
      Stream.toAsyncIterableWith(
        Stream.suspend(() => (closing.aborted ? Stream.fail(closedPetstore()) : open)),
        context
      ),
      signal
    )
  },
  subscribe: async (listener, options = {}) => {
    checkListener(listener, options)
    const { signal } = options
    return await run(subscribe(Context.get(context, Events), listener, options, closing), { signal })
  }
})
