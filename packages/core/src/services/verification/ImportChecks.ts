import type { ImportBatch, RejectedRow } from "../../ports/ImportRows.ts"
import { Check } from "./Check.ts"

const isObject = (json: string): boolean => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const isRejection = (row: RejectedRow | null): boolean =>
  row !== null && isCount(row.line) && typeof row.reason === "string" && row.reason !== ""

/** What is wrong with a batch in itself. */
const flawOf = ({
  categories,
  file,
  imported,
  line,
  rejected,
  rejections,
  settings
}: ImportBatch): string | undefined => {
  if (!/^[0-9a-f]{64}$/.test(file)) return "its file is no digest"
  if (!isObject(settings)) return "its settings are no object"
  if (![line, imported, rejected, categories].every(isCount)) return "a count is no whole number"
  if (!Array.isArray(rejections) || !rejections.every(isRejection)) return "a rejected row has no line or no reason"
  return undefined
}

/** What is wrong with the first batch of a run. */
const beginningFlawOf = ({
  categories,
  finished,
  imported,
  line,
  rejected,
  rejections
}: ImportBatch): string | undefined =>
  line + imported + rejected + categories + rejections.length === 0 && !finished
    ? undefined
    : "its run does not begin with nothing"

/** What is wrong with a batch that follows another one of its run. */
const stepFlawOf = (before: ImportBatch, batch: ImportBatch): string | undefined => {
  const { finished, line, rejections, settings } = batch
  const imported = batch.imported - before.imported
  const rows = imported + rejections.length
  const lines = line - before.line
  const categories = batch.categories - before.categories
  if (before.finished) return "it follows the end of its run"
  if (settings !== before.settings) return "it has other settings than its run"
  if (batch.rejected !== before.rejected + rejections.length) return "it does not count the rows that it rejects"
  if (imported < 0 || lines < 0 || categories < 0) return "a count goes back"
  if (rows > lines || (rows === 0 && lines > 0)) return "its rows are not those of its lines"
  if (categories > rows) return "it creates more categories than it has rows"
  if (finished && rows > 0) return "the end of a run has no rows"
  let above = before.line
  for (const rejection of rejections) {
    if (rejection.line <= above || rejection.line > line) return "a rejected row is on a line of another batch"
    above = rejection.line
  }
  return undefined
}

/** Holds each batch of an import against the one before. Batches come by file and number. */
export class ImportChecks {
  readonly batches = new Check(
    "import_batches",
    "The batches of an imported file are numbered 1, 2, 3 and so on; those of a run count its rows from nothing to its end."
  )
  private before: ImportBatch | undefined

  add(batch: ImportBatch): void {
    const before = this.before?.file === batch.file ? this.before : undefined
    this.before = batch
    const problem = flawOf(batch) ?? this.orderFlawOf(before, batch)
    this.batches.expect(problem === undefined, () => ({ file: batch.file, seq: batch.seq, problem: problem ?? null }))
  }

  private orderFlawOf(before: ImportBatch | undefined, batch: ImportBatch): string | undefined {
    if (batch.seq !== (before?.seq ?? 0) + 1) return "its number does not follow the one before"
    if (before !== undefined && batch.run === before.run) return stepFlawOf(before, batch)
    return batch.run === (before?.run ?? 0) + 1 ? beginningFlawOf(batch) : "its run does not follow the one before"
  }
}
