import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../packages/test/support/workspace.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { type Finding, readFindings, summaryOf } from "./matrix.ts"
import { allFaults, type Fault } from "./places.ts"
import { Trials } from "./Trials.ts"

const nameOf = ({ at, file, new: instead, old }: Fault): string => {
  const line = readFileSync(join(root, file), "utf8").slice(0, at).split("\n").length
  return `${file}:${line} ${old.replace(/\s+/g, " ")} becomes ${instead}`
}

interface Flags {
  readonly in: string | undefined
  readonly into: string | undefined
  readonly most: number | undefined
  readonly matrix: boolean
}

/** Units of which the matrix shows that they see a fault: whoever sees it alone, or with few others, is what it is asked about. */
const enough = 6
/** Its multiples spread seeds that follow each other evenly over all places. */
const goldenRatio = 0.618_033_988_749_895

/**
 * Puts a random fault into the core for each seed, and runs the cases of the contracts in memory and of the unit tests that reach its
 * place. A fault that nobody sees changes nothing, or is the lack of a test. Fails if more are seen by nobody than `most` percent.
 *
 * With `matrix`, it shows which groups and files see a fault, up to six: one that never sees one alone proves what others prove. With a
 * file, faults are left out that it has, and its faults count too, so that a night's run may be made in parts.
 */
export const ask = async (lab: Lab<Flags>): Promise<void> => {
  const { in: part = "", into, matrix, most = 15 } = lab.flags
  const faults = allFaults().filter(({ file }) => file.includes(part))
  if (faults.length === 0) throw new UsageError(`No source of the core has ${JSON.stringify(part)} in its path`)
  const findings = [...readFindings(into)]
  const known = new Set(findings.map(({ fault }) => fault))
  lab.log("Learns which places each case reaches: about a minute")
  using trials = await Trials.open()
  for (const name of trials.unfit) lab.log(`Left out: ${name}`)
  await lab.eachSeed(
    async (seed) => {
      const mutant = faults[Math.floor(((seed * goldenRatio) % 1) * faults.length)]
      const fault = mutant && nameOf(mutant)
      if (mutant === undefined || fault === undefined || known.has(fault)) return []
      const finding: Finding = { fault, seenBy: await trials.seenBy(mutant.number, matrix ? enough : 1) }
      findings.push(finding)
      if (into !== undefined) appendFileSync(into, `\n${JSON.stringify(finding)}`)
      lab.log(`seed ${seed}: ${fault}\n  ${finding.seenBy.join(", ") || "NOBODY SEES IT"}`)
      return []
    },
    { atOnce: 2, figures: () => `of ${faults.length} places` }
  )
  for (const line of matrix ? summaryOf(findings) : []) lab.log(line)
  const share = (100 * findings.filter(({ seenBy }) => seenBy.length === 0).length) / findings.length
  if (share > most) lab.found(`Nobody sees ${Math.round(share)} % of the faults`)
}
