import * as Effect from "effect/Effect"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import { eachIn, nextOf, type Source } from "./Buckets.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks categories with their events, and the pets that belong to them. */
export const verifyCategories = ({ buckets, log, nextNoted, report, results, store, takeFacts }: Run) => {
  const checkId = checkIds(report, "categories")
  const [check, checkPet] = [report.on("category"), report.on("petOfCategory")]
  const rows: Source<CategoryRecord> = { fetch: store.categories.scan, idOf: ({ category }) => category.id }
  return buckets.each(
    [nextOf(rows)],
    nextNoted("categories"),
    Effect.fnUntraced(function* (range) {
      const categories = new Map<number, CategoryRecord>()
      yield* eachIn(rows, range, (record) => {
        checkId(record.category.id)
        categories.set(record.category.id, record)
      })
      yield* takeFacts("categories", range.bucket, (fact) => {
        if (fact[0] !== "pet") return
        const [, petId, deleted, categoryId] = fact
        checkPet({ petId, deleted, categoryId, category: categories.get(categoryId) })
      })
      for (const record of categories.values()) {
        check({ record, found: record.deleted ? undefined : yield* store.categories.findByName(record.nameKey) })
        log.compareCategory(record)
      }
      log.finish()
      results.finish()
    })
  )
}
