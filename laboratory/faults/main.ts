import type { Lab } from "../Lab.ts"
import { type AnyFault, type FaultSuite, isRejected, type Outcome } from "./faultOutcomes.ts"
import { failCalls, failMessages } from "./suites.ts"

interface Row {
  runs: number
  /** Runs in which all calls succeeded nevertheless. */
  unnoticed: number
  rejected: number
  findings: number
  seconds: number
}

const columns = ["runs", "unnoticed", "rejected", "findings", "seconds"] as const

const lineOf = (name: string, values: ReadonlyArray<string | number>): string =>
  [name.padEnd(30), ...values.map((value) => `${value}`.padStart(10))].join("")

/** Counts runs by what failed in them. */
class FaultTable {
  private readonly rows = new Map<string, Row>()

  add(name: string, outcome: Outcome<unknown>): void {
    const row = this.rows.get(name) ?? { runs: 0, unnoticed: 0, rejected: 0, findings: 0, seconds: 0 }
    this.rows.set(name, row)
    row.runs++
    row.seconds += outcome.seconds
    if (outcome.findings.length > 0) row.findings++
    else if (isRejected(outcome)) row.rejected++
    else row.unnoticed++
  }

  get runs(): number {
    return this.sum("runs")
  }

  get text(): string {
    const rows = [...this.rows].toSorted(([one], [other]) => one.localeCompare(other))
    return [
      lineOf("failing", columns),
      ...rows.map(([name, row]) =>
        lineOf(
          name,
          columns.map((column) => Math.round(row[column]))
        )
      )
    ].join("\n")
  }

  private sum(column: keyof Row): number {
    return [...this.rows.values()].reduce((sum, row) => sum + row[column], 0)
  }
}

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

/** Some of the faults, spread over all of them; other ones with another seed. With a limit of time, all, from one that the seed gives. */
export const sampled = <Fault>(faults: ReadonlyArray<Fault>, { rounds, seed }: Lab): ReadonlyArray<Fault> => {
  const start = rounds === Number.POSITIVE_INFINITY ? seed % faults.length : 0
  const every = Math.max(1, Math.floor(faults.length / rounds))
  return [...faults.slice(start), ...faults.slice(0, start)].filter((_, index) => index % every === seed % every)
}

/** The faults until the time is over, for several runs at once. */
export function* inTime<Fault>(faults: ReadonlyArray<Fault>, lab: Pick<Lab, "isOver">): Generator<Fault, void> {
  for (const fault of faults) {
    if (lab.isOver) return
    yield fault
  }
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
    await suite.run(inTime(chosen, lab), (outcome) => {
      table.add(suite.rowOf(outcome), outcome)
      if (outcome.findings.length > 0)
        lab.found([outcome.failed, ...outcome.findings].join("\n  "), againOf(outcome.fault))
      if (lines) lab.log(outcome.lines.join("\n"))
    })
    lab.log(`${table.text}\n${table.runs} runs in ${lab.seconds}, ${lab.findings} with findings`)
  }
  return postgres ? failMessages(runChosen) : failCalls(first, runChosen)
}
