import { setTimeout as sleep } from "node:timers/promises"

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Pauses of random lengths up to so many milliseconds, one after the other. */
export const pausesOf = (random: () => number, most: number) => {
  let last = Promise.resolve()
  return (): Promise<void> => {
    const before = last
    last = (async () => {
      await before
      const time = random() * most
      if (time > most / 10) await sleep(time)
    })()
    return last
  }
}
