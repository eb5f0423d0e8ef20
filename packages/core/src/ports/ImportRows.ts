import type * as Effect from "effect/Effect"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** A row of a file that could not be imported. */
export interface RejectedRow {
  /** The line that it begins on, from 1. */
  readonly line: number
  readonly reason: string
}

/** The progress of an import after one batch of rows, written in the transaction of those rows. */
export interface ImportBatch {
  /** SHA-256 of the content of the file, as 64 hexadecimal digits. */
  readonly file: string
  /** The number of this batch among those of the file, from 1. */
  readonly seq: number
  /** The number of this import of the file: 1 for the first, 2 when it is imported again. */
  readonly run: number
  /** The settings that the file is read with, as JSON. */
  readonly settings: string
  /** The line that the last imported or rejected row of this run begins on; 0 before the first. */
  readonly line: number
  /** How many rows of this run were imported so far. */
  readonly imported: number
  /** How many rows of this run were rejected so far. */
  readonly rejected: number
  /** How many categories this run created so far. */
  readonly categories: number
  /** The rejected rows of this batch, in ascending line. */
  readonly rejections: ReadonlyArray<RejectedRow>
  /** Whether the run ends with this batch. */
  readonly finished: boolean
  readonly createdAt: string
}

/** Stores the progress of imports. Rows are added, never changed. */
export interface ImportRows {
  /** Locks a file until the transaction ends, and returns its last batch. */
  readonly lock: (file: string) => Effect.Effect<ImportBatch | undefined, StorageError, Transaction>
  /** Adds a batch of a locked file. */
  readonly append: (batch: ImportBatch) => Effect.Effect<void, StorageError, Transaction>
  /** All batches in ascending (file, seq), above that pair. */
  readonly scan: (
    after: { readonly file: string; readonly seq: number },
    limit: number
  ) => Effect.Effect<ReadonlyArray<ImportBatch>, StorageError>
}
