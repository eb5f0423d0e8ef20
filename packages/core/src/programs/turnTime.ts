import type * as Clock from "effect/Clock"

/** Milliseconds for which background work goes on before others do. */
const longestTurn = 1

/** Milliseconds of a clock that is never set, to measure how much time has passed. */
export const elapsedOn = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Begins a turn of background work, and returns whether it is over: what it has not begun then waits for the next one. */
export const turnOn = (clock: Clock.Clock): (() => boolean) => {
  const end = elapsedOn(clock) + longestTurn
  return () => elapsedOn(clock) >= end
}
