import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Storage } from "../ports/Storage.ts"

/** Milliseconds of the clock that all processes of a store share, by a clock of this process. */
export const storeTime =
  ({ clockOffset = () => 0 }: Pick<Storage["Service"], "clockOffset">) =>
  (clock: Clock.Clock): number =>
    clock.currentTimeMillisUnsafe() + clockOffset()

/** {@link storeTime} by the clock in use. */
export const storeMillis = (store: Pick<Storage["Service"], "clockOffset">): Effect.Effect<number> =>
  Clock.clockWith((clock) => Effect.sync(() => storeTime(store)(clock)))
