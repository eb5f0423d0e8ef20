import { withStolenShare } from "./machine/stolenTime.ts"

/** Above this share of a core taken away, a round says more about the machine than about the contenders. */
const tolerated = 0.01
/** How many times the wanted rounds are measured at most. */
const mostTries = 3

export interface Turns<A> {
  /** The rounds of each contender. */
  readonly results: ReadonlyArray<ReadonlyArray<A>>
  /** In how many of these rounds the machine was not quiet. */
  readonly disturbed: number
}

/**
 * Lets contenders take turns, in the opposite order in every second round.
 *
 * The host of a virtual machine stops it for milliseconds while others use its cores, which decides the slowest calls of every
 * contender. A round in which that happened is measured again. If the machine does not become quiet, the least disturbed rounds count.
 */
export const takeTurns = async <A>(rounds: number, contenders: ReadonlyArray<() => Promise<A>>): Promise<Turns<A>> => {
  const measured: Array<{ readonly result: ReadonlyArray<A>; readonly share: number }> = []
  const isQuiet = ({ share }: { readonly share: number }): boolean => share <= tolerated
  while (measured.filter(isQuiet).length < rounds && measured.length < mostTries * rounds) {
    const isReversed = measured.length % 2 === 1
    measured.push(await withStolenShare(() => takeTurn(contenders, isReversed)))
  }
  const counted = measured.toSorted((a, b) => a.share - b.share).slice(0, rounds)
  return {
    results: contenders.map((_, index) => counted.flatMap(({ result }) => result.slice(index, index + 1))),
    disturbed: counted.filter((round) => !isQuiet(round)).length
  }
}

/** Measures each contender once, and returns the results in the order of the contenders. */
const takeTurn = async <A>(
  contenders: ReadonlyArray<() => Promise<A>>,
  isReversed: boolean
): Promise<ReadonlyArray<A>> => {
  const results: Array<A> = []
  for (const contender of isReversed ? contenders.toReversed() : contenders) results.push(await contender())
  return isReversed ? results.reverse() : results
}
