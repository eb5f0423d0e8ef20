import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Storage } from "../ports/Storage.ts"

/**
 * Milliseconds of the clock that all processes of a store share, by a clock of this process and its measured difference: a query for each
 * call would cost a round trip. By its own clock, a server that is days ahead would remove the idempotency keys of all others.
 */
export const storeTime =
  ({ clockOffset }: Pick<Storage["Service"], "clockOffset">) =>
  (clock: Clock.Clock): number =>
    clock.currentTimeMillisUnsafe() + (clockOffset === undefined ? 0 : clockOffset())

/** {@link storeTime} by the clock in use. */
export const storeMillis = (store: Pick<Storage["Service"], "clockOffset">): Effect.Effect<number> =>
  Clock.clockWith((clock) => Effect.sync(() => storeTime(store)(clock)))
