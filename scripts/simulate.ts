// Simulates a shop whose processes, network and database fail, once for each seed: npm run simulate [-- --seeds 10000]
// With --from: begins at another seed. With --seed: one seed, with its trace. With --faults kills,commits: only these faults.
// With --steps: how many calls the clients make.
import { parseArgs } from "node:util"
import { allFaults, type SimulatedFault } from "../packages/core/testing/src/simulation/FaultPlan.ts"
import { type Simulation, simulate } from "../packages/core/testing/src/simulation/simulate.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "500" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    steps: { type: "string" },
    faults: { type: "string" }
  }
})

/** After how many seeds a run says how far it is. */
const reported = 500

const numberOf = (name: string, text: string): number => {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new TypeError(`--${name} takes a whole number, not ${text}`)
}

const isFault = (name: string): name is SimulatedFault => allFaults.some((fault) => fault === name)

const faultsOf = (text: string): ReadonlyArray<SimulatedFault> => {
  const names = text.split(",")
  const unknown = names.find((name) => !isFault(name))
  if (unknown === undefined) return names.filter(isFault)
  throw new TypeError(`There is no fault ${JSON.stringify(unknown)}. Faults: ${allFaults.join(", ")}`)
}

const run = (seed: number): Promise<Simulation> =>
  simulate({
    seed,
    ...(values.steps === undefined ? {} : { steps: numberOf("steps", values.steps) }),
    ...(values.faults === undefined ? {} : { faults: faultsOf(values.faults) })
  })

if (values.seed !== undefined) {
  const { hash, problem, trace } = await run(numberOf("seed", values.seed))
  console.log(trace.join("\n"))
  console.log(`Hash ${hash}: ${problem ?? "no problem"}`)
  process.exitCode = problem === undefined ? 0 : 1
} else {
  const start = performance.now()
  const [from, seeds] = [numberOf("from", values.from), numberOf("seeds", values.seeds)]
  let [commits, duration, failed] = [0, 0, 0]
  for (let seed = from; seed < from + seeds; seed++) {
    const simulation = await run(seed)
    commits += simulation.commits
    duration += simulation.duration
    if (simulation.problem !== undefined) {
      failed++
      console.log(`Seed ${seed}: ${simulation.problem}\n  npm run simulate -- --seed ${seed}`)
    }
    const done = seed - from + 1
    if (done % reported > 0 && done < seeds) continue
    const seconds = (performance.now() - start) / 1000
    const figures = `${commits} commits, ${(duration / 3_600_000).toFixed(1)} hours in ${seconds.toFixed(0)} s`
    console.log(`${done} seeds, ${failed} with a problem: ${figures}`)
  }
  process.exitCode = failed === 0 ? 0 : 1
}
