import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A row of a file that could not be imported. */
export interface RejectedRow {
  /** Where it begins, from 1. */
  readonly line: number
  readonly reason: string
}

/** A step of an import: how far it has come, written in the transaction of the rows that it counts. */
export interface ImportBatch {
  /** SHA-256 of the content of the file, as 64 hexadecimal digits. */
  readonly file: string
  /** From 1, one more for each batch of this file. */
  readonly seq: number
  /** Which import of this file: 1, and one more whenever it is imported again. */
  readonly run: number
  /** How the file is read, as JSON. */
  readonly settings: string
  /** Where the last row of this run begins that was imported or rejected; 0 before the first. */
  readonly line: number
  /** Rows of this run that were imported so far. */
  readonly imported: number
  /** Rows of this run that were rejected so far. */
  readonly rejected: number
  /** Categories that this run has created so far. */
  readonly categories: number
  /** The rejected rows of this batch, in ascending line. */
  readonly rejections: ReadonlyArray<RejectedRow>
  /** Whether the run ends with this batch. */
  readonly finished: boolean
  readonly createdAt: string
}

/** How far the imports of files have come. Batches are only ever added. */
export interface ImportRows {
  /** The last batch of a file, and the right to append the next one until the transaction ends. */
  readonly lock: (file: string) => Effect.Effect<ImportBatch | undefined, StorageError, Transaction>
  /** Appends a batch to those of a locked file. */
  readonly append: (batch: ImportBatch) => Effect.Effect<void, StorageError, Transaction>
  /** Every batch in ascending (file, seq), behind that pair. */
  readonly scan: (
    after: { readonly file: string; readonly seq: number },
    limit: number
  ) => Effect.Effect<ReadonlyArray<ImportBatch>, StorageError>
}
