import * as Exit from "effect/Exit"
import type { ImportBatch, ImportRows } from "../ports/ImportRows.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable } from "./MemoryTable.ts"
import { byText } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

/** Sorts by file, then by number. */
const idOf = (file: string, seq: number): string => `${file} ${String(seq).padStart(16, "0")}`

/** The batches of imports, by file and number. */
export const importTable = () =>
  new MemoryTable({
    compare: byText,
    copy: (batch: ImportBatch): ImportBatch => ({ ...batch, rejections: batch.rejections.map((row) => ({ ...row })) }),
    indexes: { file: new GroupIndex(byText, (batch: ImportBatch) => batch.file) }
  })

/** The imports of a store. */
export const memoryImports = (connection: MemoryConnection): ImportRows => {
  const { imports } = connection.database
  const { file: byFile } = imports.indexes
  return {
    // There is one writer at a time, so the caller is the only one who can append.
    lock: (file) =>
      connection.lock(() => {
        const { last } = byFile.keys(file)
        return last === undefined ? undefined : imports.find(last)
      }),
    append: (batch) =>
      connection.change((log) => {
        const id = idOf(batch.file, batch.seq)
        if (imports.has(id)) return violation(`There is already a batch ${batch.seq} of the file ${batch.file}`)
        log.put(imports, id, batch)
        return Exit.void
      }),
    scan: ({ file, seq }, limit) => connection.read(() => imports.page(imports.keys.above(idOf(file, seq)), limit))
  }
}
