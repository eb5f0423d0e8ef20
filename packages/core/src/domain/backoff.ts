/** Times as JavaScript counts them. */
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute

/** How long to wait before each next attempt. */
export interface RetrySchedule {
  /** Milliseconds to wait after the first failed attempt, after the second, and so on. */
  readonly delays: ReadonlyArray<number>
  /** What follows the last delay: no more attempts, or the same delay again and again. */
  readonly end: "stop" | "repeat"
  /** By what share of a delay it varies at random, from 0 to 1: with 0.2, 10 s become 8 to 12 s. */
  readonly jitter: number
}

/** Delays that grow by a factor, from the first to the longest one. Milliseconds. */
export const growing = (first: number, factor: number, longest: number): ReadonlyArray<number> => {
  if (!(first > 0 && factor > 1 && longest >= first)) {
    throw new RangeError(`Delays from ${first} to ${longest} by the factor ${factor} do not grow`)
  }
  const delays: Array<number> = []
  for (let delay = first; delay < longest; delay *= factor) delays.push(delay)
  return [...delays, longest]
}

/**
 * Milliseconds to wait after this number of failures, at least 1, in whole numbers; undefined to give up.
 * `random` is a random number from 0 up to, but not including, 1.
 */
export const backoff = (
  { delays, jitter, end }: RetrySchedule,
  failures: number,
  random: number
): number | undefined => {
  const delay = delays[failures - 1] ?? (end === "repeat" ? delays.at(-1) : undefined)
  return delay === undefined ? undefined : Math.round(delay * (1 + jitter * (2 * random - 1)))
}
