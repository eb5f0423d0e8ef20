import * as Effect from "effect/Effect"
import type { Storage } from "../../ports/Storage.ts"
import { ImportChecks } from "./ImportChecks.ts"
import { eachPage } from "./pages.ts"
import type { TimeChecks } from "./TimeChecks.ts"

/** Checks how far the imports of files have come. */
export const checkImports = Effect.fnUntraced(function* ({ imports }: Storage["Service"], times: TimeChecks) {
  const checks = new ImportChecks()
  yield* eachPage(
    imports.scan,
    { file: "", seq: Number.NEGATIVE_INFINITY },
    ({ file, seq }) => ({ file, seq }),
    (page) =>
      Effect.sync(() => {
        for (const batch of page) {
          const { createdAt, file, seq } = batch
          times.add({ file, seq }, { createdAt })
          checks.add(batch)
        }
      })
  )
  return [checks.batches]
})
