import * as Effect from "effect/Effect"
import { type CategoryRecord, categoriesByName, categories as table } from "../categories/categoryTable.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { recordRows } from "./RecordRows.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks categories with their events, and the pets that belong to them. */
export const verifyCategories = (run: Run) => {
  const { buckets, log, nextNoted, report, results, store, takeFacts } = run
  const records = recordRows(run, "categories")
  const checkId = checkIds(report, "categories")
  const [check, checkPet] = [report.on("category"), report.on("petOfCategory")]
  const rows = sourceOf(store, table)
  return buckets.each(
    [nextOf(rows), records.next],
    nextNoted("categories"),
    Effect.fnUntraced(function* (range) {
      const categories = new Map<number, CategoryRecord>()
      yield* eachIn(rows, range, (record) => {
        checkId(record.category.id)
        categories.set(record.category.id, record)
      })
      yield* records.read(range)
      yield* takeFacts("categories", range.bucket, (fact) => {
        if (fact[0] !== "pet") return
        const [, petId, deleted, categoryId] = fact
        checkPet({ petId, deleted, categoryId, category: categories.get(categoryId) })
      })
      for (const record of categories.values()) {
        const [found] = record.deleted ? [] : yield* store.select(categoriesByName, record.nameKey, 1)
        check({ record, found })
        records.compare(record.category.id)
        log.compareCategory(record)
      }
      records.finish()
      log.finish()
      results.finish()
    })
  )
}
