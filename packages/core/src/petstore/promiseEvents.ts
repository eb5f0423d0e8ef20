import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { shown } from "../domain/shown.ts"
import type { EventSource } from "../events/EventSource.ts"
import type { CallOptions } from "../services/Options.ts"
import { eachWithCallerStack } from "./callerStack.ts"
import { callCheck } from "./callOptions.ts"
import { eventIterator } from "./eventIterator.ts"
import { checkedList } from "./eventQueries.ts"
import type { EventMethods } from "./PetstoreApi.ts"
import { eachItem, type RunMethod, runChecked } from "./promiseApi.ts"
import { subscribe } from "./subscribe.ts"

const checkListener = (listener: unknown, options: { readonly onError?: unknown }): void => {
  if (typeof listener !== "function") {
    throw new TypeError(`events.subscribe takes a function that is called with each event, not ${shown(listener)}`)
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`events.subscribe takes an object of options, such as { after: 0 }, not ${shown(options)}`)
  }
  if (options.onError !== undefined && typeof options.onError !== "function") {
    throw new TypeError(`The option onError takes a function of an error and an event, not ${shown(options.onError)}`)
  }
}

/**
 * The methods of `petstore.events` on an event log; `closing` is aborted when the petstore begins to close. `read` runs what reads
 * the log as it is, `follow` what begins to follow it.
 */
export const promiseEvents = <E, ListError>(
  source: EventSource<E, ListError>,
  context: Context.Context<never>,
  { follow, read }: { readonly read: RunMethod<CallOptions>; readonly follow: RunMethod<CallOptions> },
  closing: AbortSignal
): EventMethods => {
  const list = checkedList(source)
  const listed = runChecked(read, callCheck("events.list"))
  const checkStream = callCheck("events.stream")
  return {
    latest: (options) => runChecked(read, callCheck("events.latest"))(source.latest, options),
    list: (query, options) => listed(list(query), options),
    all: (query = {}, options) => eachItem((part) => listed(list(part), options), query),
    stream: (query = {}, options) => {
      const refusal = checkStream(options)
      if (refusal !== undefined) Effect.runSync(refusal)
      const signal = options?.signal
      return eachWithCallerStack(
        { [Symbol.asyncIterator]: () => eventIterator(source, query, context, { closing, signal }) },
        signal
      )
    },
    subscribe: async (listener, options = {}) => {
      checkListener(listener, options)
      const { signal } = options
      const subscribed = subscribe(source, listener, options, closing)
      return await runChecked(follow, callCheck("events.subscribe"))(subscribed, { signal })
    }
  }
}
