import * as Schema from "effect/Schema"
import { Timestamp } from "../Timestamp.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** How many rows of a file were imported and rejected. */
export const ImportedRows = Schema.Struct({
  imported: Count,
  rejected: Count,
  /** Categories that were created. */
  categories: Count
})
export type ImportedRows = typeof ImportedRows.Type

/** What is kept of an imported file. */
export const ImportedFile = Schema.Struct({
  /** The number of this import of the file. With the time at which it began, it is a part of the keys of its batches. */
  run: Count,
  startedAt: Timestamp,
  /** The settings that the file is read with, as JSON. */
  settings: Schema.String,
  /** Absent while rows may be left. */
  finished: Schema.optionalKey(ImportedRows)
})
