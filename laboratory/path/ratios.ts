/** Calls of each side in a round: few, since a busy machine is slow. */
const callsInRound = 30
/** Rounds, in which sides take turns: what else the machine does affects both. */
const rounds = 7

type Call = () => Promise<unknown>

/** A call whose processor time is compared with that of another one, which does the same in another way. */
export interface Compared {
  readonly name: string
  readonly call: Call
  readonly other: Call
  /** The most times that the call may take as long as the other one. */
  readonly most: number
}

/** Microseconds of the processor for each call. */
const timeOf = async (call: Call): Promise<number> => {
  const before = process.cpuUsage()
  for (let n = 0; n < callsInRound; n++) await call()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / callsInRound
}

/** How many times the processor time of the other one a call takes: the median of rounds, after a first one that warms up. */
export const ratioOf = async ({ call, other }: Pick<Compared, "call" | "other">): Promise<number> => {
  const ratios: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    const first = round % 2 === 0 ? await timeOf(call) : undefined
    const theirs = await timeOf(other)
    const ours = first ?? (await timeOf(call))
    if (round > 0) ratios.push(ours / theirs)
  }
  return ratios.sort((one, more) => one - more)[Math.floor(ratios.length / 2)] ?? Number.NaN
}

/** By how much a call takes longer than it may. */
export const tooSlow = ({ most, name }: Pick<Compared, "most" | "name">, ratio: number): ReadonlyArray<string> =>
  ratio <= most ? [] : [`${name} takes ${ratio.toFixed(2)} times the processor time, and may take ${most}`]
