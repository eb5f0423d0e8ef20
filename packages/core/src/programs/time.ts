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

/** Milliseconds of a clock that is never set, to measure how much time has passed. */
export const elapsedOn = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Milliseconds for which background work goes on before others do. */
export const longestTurnMillis = 1

/** The same for a command on a database server: it spends most of the time waiting, and commands of callers run beside it. */
export const longestServerTurnMillis = 50

/** Begins a turn of background work, and returns whether it is over: what it has not begun then waits for the next one. */
export const turnOn = (clock: Clock.Clock, milliseconds = longestTurnMillis): (() => boolean) => {
  const end = elapsedOn(clock) + milliseconds
  return () => elapsedOn(clock) >= end
}
