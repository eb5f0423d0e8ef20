// Removes, weakens and reorders one lock after the other in a copy of core, and reports which faults no test catches:
// npm run mutants [-- FILTER], for example npm run mutants -- Orders.ts
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import type { Outcome } from "./FirstFailure.ts"
import type { Mutant } from "./Mutant.ts"
import { mutantsOf } from "./mutantsOf.ts"
import { Trial } from "./Trial.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const [part = ""] = process.argv.slice(2)

const nameOf = ({ fault, file, line }: Mutant): string => `${file.replace("packages/core/src/", "")}:${line} ${fault}`

const shown = (mutant: Mutant, outcome: Outcome): string =>
  outcome.passed
    ? `SURVIVED ${nameOf(mutant)}`
    : `caught   ${nameOf(mutant)}\n         by ${outcome.test}\n         ${outcome.message}`

const mutants = (await mutantsOf(repository)).filter((mutant) => nameOf(mutant).includes(part))
if (mutants.length === 0) {
  console.error(
    `No mutant matches ${JSON.stringify(part)}. Pass a part of a file name or of a fault, such as Orders.ts.`
  )
  process.exit(2)
}

const waiting = [...mutants]
const survivors: Array<Mutant> = []

/** Tries mutants until none is left. */
const work = async (): Promise<void> => {
  await using trial = await Trial.open(repository)
  const unchanged = await trial.run()
  if (!unchanged.passed) throw new Error(`The tests fail without a mutant: ${unchanged.test}: ${unchanged.message}`)
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = await trial.try(mutant)
    if (outcome.passed) survivors.push(mutant)
    console.log(shown(mutant, outcome))
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${mutants.length} mutants, ${mutants.length - survivors.length} caught, in ${seconds} s`)
process.exitCode = survivors.length === 0 ? 0 : 1
