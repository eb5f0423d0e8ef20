import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Turns, takeTurns } from "./turns.ts"

/** Something to be measured beside the others of its table. */
export interface Variant {
  readonly name: string
  /** Prepares a measurement, and returns what ends it. */
  readonly open: () => Promise<Opened>
}

export interface Opened {
  /** Resolves when everything is done that the measured work has led to. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** One measurement: microseconds of CPU and of time for a unit of work. */
export interface Sample {
  readonly cpu: number
  readonly time: number
}

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

export interface Comparison {
  readonly rounds: number
  /** Into how many units the work of a round is divided. */
  readonly units: number
  readonly work: () => Promise<void>
}

/** Lets the variants take turns, after a round that warms up. */
export const measureVariants = async (
  variants: ReadonlyArray<Variant>,
  { rounds, units, work }: Comparison
): Promise<Turns<Sample>> => {
  const measure = async ({ open }: Variant): Promise<Sample> => {
    const { close, settled } = await open()
    collectGarbage()
    const [begin, before] = [performance.now(), process.cpuUsage()]
    await work()
    const time = ((performance.now() - begin) * 1_000) / units
    await settled()
    const { system, user } = process.cpuUsage(before)
    await close()
    return { cpu: (system + user) / units, time }
  }
  for (const variant of variants) await measure(variant)
  return takeTurns(
    rounds,
    variants.map((variant) => () => measure(variant))
  )
}
