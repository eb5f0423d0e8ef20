import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { allFaults, type SimulatedFault } from "./FaultPlan.ts"
import { simulate } from "./simulate.ts"

interface Flags {
  readonly steps: number | undefined
  readonly faults: string | undefined
  readonly trace: boolean
}

const isFault = (name: string): name is SimulatedFault => allFaults.some((fault) => fault === name)

const faultsOf = (text: string): ReadonlyArray<SimulatedFault> => {
  const names = text.split(",")
  const unknown = names.find((name) => !isFault(name))
  if (unknown === undefined) return names.filter(isFault)
  throw new UsageError(`There is no fault ${JSON.stringify(unknown)}. Faults: ${allFaults.join(", ")}`)
}

/** Simulates a shop whose processes, network and database fail, once for each seed. */
export const ask = async (lab: Lab<Flags>): Promise<void> => {
  const { faults, steps, trace } = lab.flags
  const options = {
    ...(steps === undefined ? {} : { steps }),
    ...(faults === undefined ? {} : { faults: faultsOf(faults) })
  }
  let [commits, duration] = [0, 0]
  await lab.eachSeed(
    async (seed) => {
      const simulation = await simulate({ ...options, seed })
      commits += simulation.commits
      duration += simulation.duration
      if (trace) lab.log([...simulation.trace, `Hash ${simulation.hash}`].join("\n"))
      return simulation.problem === undefined ? [] : [`Seed ${seed}: ${simulation.problem}`]
    },
    { figures: () => `(${commits} commits, ${(duration / 3_600_000).toFixed(1)} hours)` }
  )
}
