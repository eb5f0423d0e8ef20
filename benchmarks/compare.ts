import { loadavg } from "node:os"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

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

/**
 * Measures every variant in each round, in changing order, so that other load on the machine affects all of them equally. Returns the
 * rounds of each, by name. The first round warms up.
 */
export const measureVariants = async (
  variants: ReadonlyArray<Variant>,
  { rounds, units, work }: Comparison
): Promise<ReadonlyMap<string, ReadonlyArray<Sample>>> => {
  const samples = new Map(variants.map(({ name }) => [name, [] as Array<Sample>]))
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const variant = variants[(turn + round) % variants.length]
      if (variant === undefined) continue
      const { close, settled } = await variant.open()
      collectGarbage()
      const [begin, before] = [performance.now(), process.cpuUsage()]
      await work()
      const time = ((performance.now() - begin) * 1_000) / units
      await settled()
      const { system, user } = process.cpuUsage(before)
      await close()
      if (round > 0) samples.get(variant.name)?.push({ cpu: (system + user) / units, time })
    }
  }
  return samples
}

/** Prints the variants, with the ratio of each to another variant of the same round. */
export const compare = async (
  variants: ReadonlyArray<Variant>,
  { label, ...comparison }: Comparison & { readonly label: string }
): Promise<void> => {
  const samples = await measureVariants(variants, comparison)
  const [first] = variants
  for (const { against = first?.name ?? "", name, target } of variants) {
    const own = samples.get(name) ?? []
    const others = samples.get(against) ?? []
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
