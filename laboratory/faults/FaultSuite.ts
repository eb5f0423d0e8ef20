import type { Outcome } from "./faultOutcomes.ts"

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
  readonly run: (faults: ReadonlyArray<Fault>, onOutcome: (outcome: Outcome<Fault>) => void) => Promise<void>
  /** The row of the table that counts a run. */
  readonly rowOf: (outcome: Outcome<Fault>) => string
}
