import { Effect } from "effect"
import { same } from "../check.ts"
import { storageCases } from "./cases.ts"
import { newCategory } from "./rows.ts"

export const categoryCases = storageCases("categories", {
  "a category is found by its id and by its name as it was added": (store) =>
    Effect.gen(function* () {
      const added = newCategory("Dogs", "All that bark")
      const id = yield* store.transact(store.categories.insert(added))
      const expected = { ...added, category: { id, ...added.category }, deleted: false }
      same(yield* store.categories.find(id), expected)
      same(yield* store.categories.findByName("dogs"), expected)
      same(yield* store.transact(store.categories.lock(id)), expected)
      same(yield* store.transact(store.categories.lockShared(id)), expected)
    })
})
