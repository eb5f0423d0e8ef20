import { columnsOf, query, table } from "../engine/Table.ts"

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

const batch = columnsOf<ImportBatch>()

/** The progress of imports. */
export const imports = table<ImportBatch, string>("imports", {
  key: ["file", "seq"],
  keyOf: ({ file, seq }) => `${file} ${String(seq).padStart(16, "0")}`,
  keyValues: (key) => {
    const end = key.lastIndexOf(" ")
    return [key.slice(0, end), Number(key.slice(end))]
  },
  columns: {
    file: batch.text("file"),
    seq: batch.integer("seq"),
    run: batch.integer("run"),
    settings: batch.text("settings"),
    line: batch.integer("line"),
    imported: batch.integer("imported"),
    rejected: batch.integer("rejected"),
    categories: batch.integer("categories"),
    rejections: batch.json("rejections"),
    finished: batch.boolean("finished"),
    created_at: batch.time("createdAt")
  },
  checks: [
    "length(file) = 64",
    "seq >= 1",
    "run BETWEEN 1 AND seq",
    "json_type(settings) = 'object'",
    "line >= 0",
    "imported >= 0",
    "rejected >= 0",
    "categories >= 0",
    "json_type(rejections) = 'array' AND json_array_length(rejections) <= rejected"
  ]
})

/** The batches of a file, the last one first: one import at a time goes on with it. */
export const batchesOf = query(imports, "batchesOf", (file: string) => [{ equal: { file } }], {
  isExclusive: true,
  isReversed: true
})
