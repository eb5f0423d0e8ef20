import type { SyncDelay } from "./machine/syncDelay.ts"
import type { Row } from "./report/Row.ts"

/** What every group of rows is given. */
export interface BenchContext {
  /** An empty folder for the files of the benchmark. */
  readonly folder: string
  readonly syncDelay: SyncDelay
  readonly isQuick: boolean
  /** How many pets and orders are verified; the group chooses if undefined. */
  readonly size: number | undefined
  /** Another checkout of this project that is built, to be measured as a further peer. */
  readonly before: string | undefined
  readonly note: (text: string) => void
}

/** A group of rows that are measured together. */
export interface RowGroup {
  /** For `--only`. */
  readonly name: string
  readonly measure: (context: BenchContext) => Promise<ReadonlyArray<Row>>
}
