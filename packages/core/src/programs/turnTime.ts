import type * as Clock from "effect/Clock"

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
