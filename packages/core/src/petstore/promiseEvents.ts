import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { eventInputs } from "../domain/events/Event.ts"
import { hasOptions, optionsIn } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import type { EventSource } from "../programs/events/EventSource.ts"
import type { CallOptions } from "../programs/Options.ts"
import { eachWithCallerStack } from "./callerStack.ts"
import { callCheck } from "./callOptions.ts"
import { eventIterator } from "./eventIterator.ts"
import { checkedList } from "./eventQueries.ts"
import type { EventMethods } from "./PetstoreApi.ts"
import { eachItem, promiseGroup, type RunMethod, runChecked } from "./promiseApi.ts"
import { subscribe } from "./subscribe.ts"

/** Returns the options, inherited ones included. Throws a TypeError for a listener or options of the wrong type, as JavaScript may pass. */
const checkListener = <Options extends { readonly onError?: unknown }>(
  listener: unknown,
  options: Options
): Options => {
  if (typeof listener !== "function") {
    throw new TypeError(`events.subscribe takes a function that is called with each event, not ${shown(listener)}`)
  }
  if (!hasOptions(options, ["after", "types", "subject", "onError", "signal"])) {
    throw new TypeError(`events.subscribe takes an object of options, such as { after: 0 }, not ${shown(options)}`)
  }
  const { onError } = options
  if (onError !== undefined && typeof onError !== "function") {
    throw new TypeError(`The option onError takes a function of an error and an event, not ${shown(onError)}`)
  }
  // Unknown ones are those of the query, whose check names them.
  const given: object = onError === undefined ? optionsIn(options) : { ...optionsIn(options), onError }
  return given as Options
}

/** How the methods of `petstore.events` are called. */
export interface EventCalls {
  readonly runMethod: RunMethod<CallOptions>
  /** Throws for a step of a loop that must not be made now. */
  readonly admit?: () => void
}

/** The methods of `petstore.events` on an event log; `closing` is aborted when the petstore begins to close. */
export const promiseEvents = <E, ListError>(
  source: EventSource<E, ListError>,
  context: Context.Context<never>,
  { admit, runMethod }: EventCalls,
  closing: AbortSignal
): EventMethods => {
  const { latest, list } = promiseGroup<Pick<EventMethods, "latest" | "list">>(
    "events",
    { latest: eventInputs.latest, list: eventInputs.list },
    { latest: () => source.latest, list: checkedList(source) },
    runMethod,
    callCheck
  )
  const checkStream = callCheck("events.stream", {}, 1)
  return {
    latest,
    list,
    all: (query = {}, ...options) => eachItem((part) => list(part, ...options), query),
    stream: (query = {}, options, ...more: ReadonlyArray<unknown>) => {
      const refusal = checkStream(options, more)
      if (refusal !== undefined) Effect.runSync(refusal)
      const signal = options?.signal
      return eachWithCallerStack(
        { [Symbol.asyncIterator]: () => eventIterator(source, query, context, { admit, closing, signal }) },
        signal
      )
    },
    subscribe: async (listener, options = {}, ...more: ReadonlyArray<unknown>) => {
      const settings = checkListener(listener, options)
      const { signal } = settings
      const subscribed = subscribe(source, listener, settings, closing)
      return await runChecked(runMethod, callCheck("events.subscribe", {}, 1))(subscribed, { signal }, more)
    }
  }
}
