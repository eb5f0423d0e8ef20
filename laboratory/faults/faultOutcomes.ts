/** What a fault has led to. */
export interface Outcome<Fault> {
  readonly fault: Fault
  /** The call, statement or message that failed; undefined if there was none of this number. */
  readonly failed: string | undefined
  /** What the run has reported: each rejected call in a line that begins with `rejected`. */
  readonly lines: ReadonlyArray<string>
  /** Empty if all is well. */
  readonly findings: ReadonlyArray<string>
  readonly seconds: number
}

/** Whether a call was rejected. */
export const isRejected = ({ lines }: Pick<Outcome<unknown>, "lines">): boolean =>
  lines.some((line) => line.startsWith("rejected "))

/** Runs a scenario with one fault after the other. Several at a time may share an iterator of faults. */
export const runInTurn = async <Fault>(
  faults: Iterable<Fault>,
  run: (fault: Fault) => Promise<Omit<Outcome<Fault>, "fault" | "seconds">>,
  onOutcome: (outcome: Outcome<Fault>) => void
): Promise<void> => {
  for (const fault of faults) {
    const start = performance.now()
    const end = await run(fault)
    onOutcome({ fault, ...end, seconds: (performance.now() - start) / 1000 })
  }
}

/** What fails, where, and how. */
export interface AnyFault {
  readonly of: string
  readonly at: number
  readonly error: string
  readonly persists?: boolean
}

/** A scenario that runs with one fault at a time. */
export interface FaultSuite<Fault extends AnyFault> {
  /** What there is that can fail. */
  readonly title: string
  readonly faults: ReadonlyArray<Fault>
  readonly run: (faults: IterableIterator<Fault>, onOutcome: (outcome: Outcome<Fault>) => void) => Promise<void>
  /** The row of the table that counts a run. */
  readonly rowOf: (outcome: Outcome<Fault>) => string
}
