import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"

/** Waits until something is so, for at most 20 seconds of real time, whatever the clock of the test. */
export const until = (what: string, isSo: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const start = performance.now(); !isSo(); await setTimeout(5)) {
      if (performance.now() - start > 20_000) throw new Error(`Never: ${what}`)
    }
  })
