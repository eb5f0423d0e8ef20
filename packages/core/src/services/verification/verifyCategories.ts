import * as Effect from "effect/Effect"
import { type CategoryRecord, categoriesByName, categories as table } from "../../tables/catalogue.ts"
import { eachIn, nextOf, sourceOf } from "./Buckets.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks categories with their events, and the pets that belong to them. */
export const verifyCategories = ({ buckets, log, nextNoted, report, results, store, takeFacts }: Run) => {
  const checkId = checkIds(report, "categories")
  const [check, checkPet] = [report.on("category"), report.on("petOfCategory")]
  const rows = sourceOf(store, table)
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
        const [found] = record.deleted ? [] : yield* store.select(categoriesByName, record.nameKey, 1)
        check({ record, found })
        log.compareCategory(record)
      }
      log.finish()
      results.finish()
    })
  )
}
