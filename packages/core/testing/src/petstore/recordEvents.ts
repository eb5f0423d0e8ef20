import type { EventMethods, SubscribeOptions } from "@petstore/core"
import type { Event, EventType } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { assertTrue } from "../check.ts"

/** Lets other fibers and callbacks of this process run. */
export const yieldToOthers = (): Promise<void> => Effect.runPromise(Effect.yieldNow)

/** More than anything that is awaited takes. */
const manyTurns = 2_000_000

/** Waits until a condition is true. Throws after a few seconds. */
export const waitUntil = async (isSo: () => boolean): Promise<void> => {
  for (let turns = 0; !isSo(); turns++) {
    assertTrue(turns < manyTurns, "the awaited condition becomes true")
    await yieldToOthers()
  }
}

/** Subscribes, and records the events that are received. */
export const recordEvents = async <const T extends EventType = EventType>(
  petstore: { readonly events: EventMethods },
  options?: SubscribeOptions<T>,
  listener: (event: Event<T>) => unknown = () => {}
) => {
  const received: Array<Event<T>> = []
  const subscription = await petstore.events.subscribe<T>((event) => {
    received.push(event)
    return listener(event)
  }, options)
  return {
    received,
    seqs: () => received.map(({ seq }) => seq),
    subscription,
    /** Waits until the events up to this seq are handled. */
    untilHandled: (seq: number) => waitUntil(() => subscription.position >= seq)
  }
}
