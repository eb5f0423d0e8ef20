import type { EventCommands, SubscribeOptions } from "@petstore/core"
import type { Event, EventType } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { holds } from "../check.ts"

/** Gives way to everything else that happens in this process. */
export const othersTurn = (): Promise<void> => Effect.runPromise(Effect.yieldNow)

/** Some seconds of doing nothing else. */
const manyTurns = 2_000_000

/** Gives way until it is so. */
export const until = async (isSo: () => boolean): Promise<void> => {
  for (let turns = 0; !isSo(); turns++) {
    holds(turns < manyTurns, "what is waited for happens")
    await othersTurn()
  }
}

/** Subscribes, and keeps what is heard. */
export const listening = async <const T extends EventType = EventType>(
  petstore: { readonly events: EventCommands },
  options?: SubscribeOptions<T>,
  listener: (event: Event<T>) => unknown = () => {}
) => {
  const heard: Array<Event<T>> = []
  const subscription = await petstore.events.subscribe<T>((event) => {
    heard.push(event)
    return listener(event)
  }, options)
  return {
    heard,
    seqs: () => heard.map(({ seq }) => seq),
    subscription,
    /** Waits until the events up to this seq are handled. */
    untilHandled: (seq: number) => until(() => subscription.position >= seq)
  }
}
