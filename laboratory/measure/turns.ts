import { existsSync, readFileSync } from "node:fs"

/** Milliseconds of the unit in which Linux shows the time of processors to programs. */
const tick = 10

const statistics = "/proc/stat"

/**
 * The steal time of each core in milliseconds: it had work while the hypervisor ran something else. Empty where the system does not
 * count it.
 */
const stolenTimes = (): ReadonlyArray<number> => {
  if (!existsSync(statistics)) return []
  const cores = readFileSync(statistics, "utf8").matchAll(/^cpu\d+ +(.+)$/gm)
  return [...cores].map(([, times = ""]) => Number(times.split(" ")[7] ?? 0) * tick)
}

/** Runs a task, and measures the steal time of the core that lost most, as a share of the time of the task. */
const withStolenShare = async <A>(task: () => Promise<A>) => {
  const [start, before] = [performance.now(), stolenTimes()]
  const result = await task()
  const stolen = stolenTimes().map((time, core) => time - (before[core] ?? 0))
  return { result, share: Math.max(0, ...stolen) / (performance.now() - start) }
}

/** Rounds are repeated in which a contender lost a larger share of a core. */
const tolerated = 0.01
/** At most this many times the wanted rounds are measured. */
const mostTries = 1.5

export interface Turns<A> {
  /** The rounds of each contender. */
  readonly results: ReadonlyArray<ReadonlyArray<A>>
  /** In how many of these rounds a contender lost more than a hundredth of a core. */
  readonly disturbed: number
}

/**
 * Lets contenders take turns. The order alternates from one measured round to the next.
 *
 * While the hypervisor of a virtual machine runs something else, nothing is answered, which 99th percentiles show. So a round with more
 * steal time than is tolerated is repeated. If too many have more, those with the least count.
 */
export const takeTurns = async <A>(rounds: number, contenders: ReadonlyArray<() => Promise<A>>): Promise<Turns<A>> => {
  const measured: Array<Round<A>> = []
  while (measured.filter(isUndisturbed).length < rounds && measured.length < mostTries * rounds) {
    measured.push(await measureRound(contenders, measured.length % 2 === 1))
  }
  const counted = measured.toSorted((a, b) => a.stolen - b.stolen).slice(0, rounds)
  return {
    results: contenders.map((_, index) => counted.flatMap(({ results }) => results.slice(index, index + 1))),
    disturbed: counted.filter((round) => !isUndisturbed(round)).length
  }
}

/** Each contender measured once. */
interface Round<A> {
  /** In the order of the contenders. */
  readonly results: ReadonlyArray<A>
  /** The largest share of a core that one of the contenders lost. */
  readonly stolen: number
}

const isUndisturbed = ({ stolen }: Round<unknown>): boolean => stolen <= tolerated

const measureRound = async <A>(contenders: ReadonlyArray<() => Promise<A>>, isReversed: boolean): Promise<Round<A>> => {
  const measured = []
  for (const contender of isReversed ? contenders.toReversed() : contenders) {
    measured.push(await withStolenShare(contender))
  }
  const inOrder = isReversed ? measured.reverse() : measured
  return { results: inOrder.map(({ result }) => result), stolen: Math.max(...inOrder.map(({ share }) => share)) }
}
