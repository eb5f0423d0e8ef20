import type { ImportBatch, ImportRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { claimed } from "./claimed.ts"
import type { Sql } from "./Sql.ts"

interface ImportRow {
  readonly file: string
  readonly seq: number
  readonly run: number
  readonly settings: string
  readonly line: number
  readonly imported: number
  readonly rejected: number
  readonly categories: number
  readonly rejections: string
  readonly finished: number | boolean
  readonly created_at: string
}

const select = `SELECT file, seq, run, settings, line, imported, rejected, categories, rejections, finished, created_at
  FROM petstore_imports`
const selectLast = `${select} WHERE file = ? ORDER BY seq DESC LIMIT 1`
const selectAll = `${select} WHERE (file, seq) > (?, ?) ORDER BY file, seq LIMIT ?`
const insert = `INSERT INTO petstore_imports (file, seq, run, settings, line, imported, rejected, categories, rejections,
  finished, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const toBatch = (row: ImportRow): ImportBatch => ({
  file: row.file,
  seq: row.seq,
  run: row.run,
  settings: row.settings,
  line: row.line,
  imported: row.imported,
  rejected: row.rejected,
  categories: row.categories,
  rejections: JSON.parse(row.rejections),
  finished: Boolean(row.finished),
  createdAt: row.created_at
})

export const importRows = (sql: Sql): ImportRows => {
  const claimFile = claimed(sql, "import of a file")
  const lockLast = sql.lock(selectLast, toBatch)
  const append = sql.run(insert)
  const all = sql.all(selectAll, toBatch)
  return {
    lock: (file) => Effect.andThen(claimFile(file), lockLast(file)),
    append: (batch) =>
      append(
        batch.file,
        batch.seq,
        batch.run,
        batch.settings,
        batch.line,
        batch.imported,
        batch.rejected,
        batch.categories,
        JSON.stringify(batch.rejections),
        batch.finished,
        batch.createdAt
      ),
    scan: ({ file, seq }, limit) => all(file, seq, limit)
  }
}
