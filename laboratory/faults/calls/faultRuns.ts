import { rmSync } from "node:fs"
import { type Outcome, runInTurn } from "../faultOutcomes.ts"
import { findingsOf } from "./findings.ts"
import { type Call, callErrors, type Fault, type ScenarioSummary, statementErrors } from "./Scenario.ts"
import { ScenarioProcess } from "./ScenarioProcess.ts"

/** How to run scenarios. */
export interface FaultRunOptions {
  /** Starts the program meet-faults. */
  readonly command: readonly [string, ...Array<string>]
  /** The path of the library that makes calls fail. */
  readonly library: string
  /** Where the folders of runs are made. */
  readonly parent: string
}

const inProcess = async <A>(
  { command, library, parent }: FaultRunOptions,
  use: (scenarios: ScenarioProcess) => Promise<A>
): Promise<A> => {
  const scenarios = new ScenarioProcess(command, library, parent)
  try {
    return await use(scenarios)
  } finally {
    await scenarios.close()
  }
}

/** All calls and statements of a scenario without a fault. Throws if it does not end well. */
export const callsOf = (options: FaultRunOptions): Promise<ScenarioSummary> =>
  inProcess(options, async (scenarios) => {
    // The first run of a process loads modules.
    await scenarios.run()
    const { end, lines, summary } = await scenarios.run()
    if (summary !== undefined && lines.every((line) => line.startsWith("acknowledged "))) return summary
    throw new Error(`The scenario fails without a fault: ${end}\n${lines.join("\n")}`)
  })

/** Each fault of each call and statement: once, and from then on. */
export const allFaults = ({ calls = [], statements = [] }: ScenarioSummary): ReadonlyArray<Fault> =>
  [false, true].flatMap((persists) => [
    ...calls.flatMap(({ transfers }, index) =>
      callErrors
        .filter((error) => transfers || error !== "short")
        .map((error) => ({ of: "call", at: index + 1, error, persists }) as const)
    ),
    ...statements.flatMap((_, index) =>
      statementErrors.map((error) => ({ of: "statement", at: index + 1, error, persists }) as const)
    )
  ])

/** The faults of the first call or statement of each name: those of later ones seldom lead to anything else. */
export const faultsOfFirst = (summary: ScenarioSummary): ReadonlyArray<Fault> => {
  const { calls = [], statements = [] } = summary
  const first = ({ name }: Call, index: number, all: ReadonlyArray<Call>): boolean =>
    all.findIndex((other) => other.name === name) === index
  const numbers = { call: calls.map(first), statement: statements.map(first) }
  return allFaults(summary).filter(({ at, of }) => numbers[of][at - 1])
}

/** Runs the scenario with each fault, two at a time. */
export const runFaults = async (
  faults: IterableIterator<Fault>,
  options: FaultRunOptions,
  onOutcome: (outcome: Outcome<Fault>) => void
): Promise<void> => {
  const work = (scenarios: ScenarioProcess) =>
    runInTurn(
      faults,
      async (fault) => {
        const run = await scenarios.run(fault)
        const findings = await findingsOf(fault, run)
        rmSync(run.folder, { recursive: true, force: true })
        return { failed: run.failed, lines: run.lines, findings }
      },
      onOutcome
    )
  await Promise.all([inProcess(options, work), inProcess(options, work)])
}
