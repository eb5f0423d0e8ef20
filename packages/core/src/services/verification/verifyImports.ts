import * as Effect from "effect/Effect"
import type { ImportBatch } from "../../ports/ImportRows.ts"
import { eachPage } from "./pages.ts"
import type { Run } from "./Run.ts"

/** Checks each batch of an import with the one before it. */
export const verifyImports = ({ report, store }: Run) => {
  const [check, checkTimes] = [report.on("importBatch"), report.on("times")]
  let latest: ImportBatch | undefined
  return eachPage(
    store.imports.scan,
    { file: "", seq: Number.NEGATIVE_INFINITY },
    ({ file, seq }) => ({ file, seq }),
    (page) =>
      Effect.sync(() => {
        for (const batch of page) {
          const { createdAt, file, seq } = batch
          checkTimes({ row: { file, seq }, times: { createdAt } })
          check({ batch, before: latest?.file === file ? latest : undefined })
          latest = batch
        }
      })
  )
}
