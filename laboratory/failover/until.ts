import { setTimeout as sleep } from "node:timers/promises"

/**
 * Asks again and again until there is a result, and returns it. Fails after `seconds` with what it waited for; a question
 * that fails counts as no result.
 */
export const until = async <A>(
  what: string,
  seconds: number,
  ask: () => A | undefined | Promise<A | undefined>
): Promise<A> => {
  const end = performance.now() + seconds * 1000
  let last: unknown
  for (;;) {
    try {
      const result = await ask()
      if (result !== undefined) return result
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > end) throw new Error(`Waited ${seconds} s for ${what}`, { cause: last })
    await sleep(20)
  }
}
