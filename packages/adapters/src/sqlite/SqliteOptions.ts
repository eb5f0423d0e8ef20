import type { Duration } from "effect"

/** How to open a SQLite store. */
export interface SqliteOptions {
  /** Path of the file; made where it is absent. Its directory must exist and be on a local disk. */
  readonly file: string
  /** Whether to bring the schema up to date on opening; true if absent. With false, a file that is behind is refused. */
  readonly migrate?: boolean
  /** How long a transaction waits while other processes write to the file; 5 seconds if absent. A number is milliseconds. */
  readonly lockTimeout?: Duration.Input
}
