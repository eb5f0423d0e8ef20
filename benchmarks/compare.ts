import { loadavg } from "node:os"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Turns, takeTurns } from "./turns.ts"

/** Something to be measured beside the others of its table. */
export interface Variant {
  readonly name: string
  /** Prepares a measurement, and returns what ends it. */
  readonly open: () => Promise<Opened>
  /** The variant that it is compared with; the first one if absent. */
  readonly against?: string
  /** At most so many times the cost of the other. */
  readonly target?: number
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

const quantile = (numbers: ReadonlyArray<number>, share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.round((numbers.length - 1) * share)] ?? Number.NaN

/** The median and the quartiles. */
export const spread = (numbers: ReadonlyArray<number>, digits = 2): string =>
  `${quantile(numbers, 0.5).toFixed(digits)} [${quantile(numbers, 0.25).toFixed(digits)} to ${quantile(numbers, 0.75).toFixed(digits)}]`

export const printHeader = (unit: string): void => {
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}; medians [quartiles]`
  )
  console.log(["row".padEnd(52), `value (${unit})`.padStart(22), "ratio".padStart(22), "target".padStart(8)].join("  "))
}

export const printRow = (name: string, value: string, ratio = "", target = ""): void =>
  console.log([name.padEnd(52), value.padStart(22), ratio.padStart(22), target.padStart(8)].join("  "))

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

/** Prints the variants, with the ratio of each to another variant of the same round. */
export const compare = async (
  variants: ReadonlyArray<Variant>,
  { label, ...comparison }: Comparison & { readonly label: string }
): Promise<void> => {
  const { disturbed, results } = await measureVariants(variants, comparison)
  if (disturbed > 0) console.log(`${label}: the hypervisor disturbed ${disturbed} of ${comparison.rounds} rounds`)
  const samplesOf = (wanted: string) => results[variants.findIndex(({ name }) => name === wanted)] ?? []
  const [first] = variants
  for (const { against = first?.name ?? "", name, target } of variants) {
    const own = samplesOf(name)
    const others = samplesOf(against)
    const ratiosOf = (part: keyof Sample) =>
      own.map((sample, round) => sample[part] / (others[round]?.[part] ?? Number.NaN))
    const isBase = name === against
    printRow(
      `${label}, ${name}: CPU`,
      spread(
        own.map(({ cpu }) => cpu),
        0
      ),
      isBase ? "" : spread(ratiosOf("cpu")),
      target === undefined ? "" : `<= ${target}`
    )
    printRow(
      `${label}, ${name}: time`,
      spread(
        own.map(({ time }) => time),
        0
      ),
      isBase ? "" : spread(ratiosOf("time"))
    )
  }
}
