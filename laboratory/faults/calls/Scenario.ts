/** What a system call fails with: an error of the system, or half of its bytes. */
export const callErrors = ["EIO", "ENOSPC", "EACCES", "ENOENT", "EMFILE", "EROFS", "short"] as const

/** What a statement fails with: an error of SQLite. */
export const statementErrors = ["IOERR", "FULL", "BUSY", "NOMEM"] as const

interface FaultPlace {
  /** The number of the call or statement that fails, from 1. */
  readonly at: number
  /** Whether all later ones fail, too. With ENOSPC and EROFS only those that write. */
  readonly persists: boolean
}

/** A system call that fails. */
export interface CallFault extends FaultPlace {
  readonly of: "call"
  readonly error: (typeof callErrors)[number]
}

/** A statement that fails. */
export interface StatementFault extends FaultPlace {
  readonly of: "statement"
  readonly error: (typeof statementErrors)[number]
}

export type Fault = CallFault | StatementFault

/** A system call or a statement. */
export interface Call {
  readonly name: string
  /** Whether it transfers bytes, of which half may go through. */
  readonly transfers: boolean
}

/** A run of the scenario in an empty folder. */
export interface ScenarioRequest {
  readonly folder: string
  readonly fault?: Fault | undefined
}

/** The end of a run. */
export interface ScenarioSummary {
  /** All calls, after a run without a fault. */
  readonly calls?: ReadonlyArray<Call>
  readonly statements?: ReadonlyArray<Call>
  /** How many files of the folder are open that were not before. */
  readonly openFiles: number
}
