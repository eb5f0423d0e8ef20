import * as Effect from "effect/Effect"
import { type ImportBatch, imports } from "../tables/importTable.ts"
import { eachPageOf } from "./pages.ts"
import type { Run } from "./Run.ts"

/** Checks each batch of an import with the one before it. */
export const verifyImports = ({ report, store }: Run) => {
  const [check, checkTimes] = [report.on("importBatch"), report.on("times")]
  let latest: ImportBatch | undefined
  return eachPageOf(store, imports, (page) =>
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
