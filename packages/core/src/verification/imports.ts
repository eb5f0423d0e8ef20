/** Imports of files. */

import { type ImportBatch, imports, type RejectedRow } from "../tables/importTable.ts"
import type { Rule } from "./Report.ts"
import { eachRowOf, type Run } from "./Run.ts"

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
  if (!/^[0-9a-f]{64}$/.test(file)) return "its file is not a SHA-256 digest"
  if (!isObject(settings)) return "its settings are not an object"
  if (![line, imported, rejected, categories].every(isCount)) return "a count is not a whole number"
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
    : "its run does not begin at zero"

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

/** What is wrong with a batch of an import after the one before it in its file, in words; undefined if nothing is. */
export const importProblem = (before: ImportBatch | undefined, batch: ImportBatch): string | undefined => {
  const flaw = flawOf(batch)
  if (flaw !== undefined) return flaw
  if (batch.seq !== (before?.seq ?? 0) + 1) return "its number does not follow the one before"
  if (before !== undefined && batch.run === before.run) return stepFlawOf(before, batch)
  return batch.run === (before?.run ?? 0) + 1 ? beginningFlawOf(batch) : "its run does not follow the one before"
}

export const importRules: ReadonlyArray<Rule> = [
  {
    name: "import_batches",
    demands:
      "The batches of an imported file are numbered 1, 2, 3 and so on, and those of a run count its rows from zero to its end.",
    check: {
      importBatch: ({ batch, before }) => {
        const problem = importProblem(before, batch)
        return problem === undefined || { file: batch.file, seq: batch.seq, problem }
      }
    }
  }
]

/** Checks each batch of an import with the one before it. */
export const verifyImports = (run: Run) => {
  const check = run.report.on("importBatch")
  let latest: ImportBatch | undefined
  return eachRowOf(run, imports, {}, (batch) => {
    check({ batch, before: latest?.file === batch.file ? latest : undefined })
    latest = batch
  })
}
