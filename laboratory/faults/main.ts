import type { Lab } from "../Lab.ts"
import type { AnyFault, FaultSuite } from "./FaultSuite.ts"
import { FaultTable } from "./FaultTable.ts"
import { failMessages } from "./postgres.ts"
import { failCalls } from "./sqlite.ts"

interface Flags {
  readonly postgres: boolean
  readonly first: boolean
  readonly of: string | undefined
  readonly at: number | undefined
  readonly error: string | undefined
  readonly persists: string | undefined
  readonly lines: boolean
}

const againOf = ({ at, error, of, persists }: AnyFault): string =>
  [
    `--of ${of} --at ${at} --error ${error}`,
    ...(persists === undefined ? [] : [`--persists ${persists}`]),
    "--lines"
  ].join(" ")

/** Some of the faults, spread over all of them; other ones with another seed. */
const sampled = <Fault>(faults: ReadonlyArray<Fault>, { rounds, seed }: Lab): ReadonlyArray<Fault> => {
  const every = Math.max(1, Math.floor(faults.length / rounds))
  return faults.filter((_, index) => index % every === seed % every)
}

/**
 * Makes what a store stands on fail, at one place in each run, and checks that nothing acknowledged is lost or doubled: the system calls and
 * statements of SQLite, or the messages between a petstore and PostgreSQL.
 */
export const ask = (lab: Lab<Flags>): Promise<void> => {
  const { at, error, first, lines, of, persists, postgres } = lab.flags
  const runChosen = async <Fault extends AnyFault>(suite: FaultSuite<Fault>): Promise<void> => {
    const isAsked = (fault: Fault): boolean =>
      (of === undefined || fault.of === of) &&
      (at === undefined || fault.at === at) &&
      (error === undefined || fault.error === error) &&
      (persists === undefined || `${fault.persists}` === persists)
    const chosen = sampled(suite.faults.filter(isAsked), lab)
    lab.log(`${suite.title}, ${chosen.length} runs`)
    const table = new FaultTable()
    await suite.run(chosen, (outcome) => {
      table.add(suite.rowOf(outcome), outcome)
      if (outcome.findings.length > 0)
        lab.found([outcome.failed, ...outcome.findings].join("\n  "), againOf(outcome.fault))
      if (lines) lab.log(outcome.lines.join("\n"))
    })
    lab.log(`${table.text}\n${table.runs} runs in ${lab.seconds}, ${lab.findings} with findings`)
  }
  return postgres ? failMessages(runChosen) : failCalls(first, runChosen)
}
