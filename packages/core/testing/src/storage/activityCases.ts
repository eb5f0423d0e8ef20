import type { StorageActivity } from "@petstore/core/ports"
import { petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { inTurn, refuse, throwing } from "./programs.ts"
import { addPet, givenCategory, newCategory } from "./rows.ts"

const outcomesOf = ({ committed, failed, rejected }: StorageActivity) => ({ committed, rejected, failed })

export const activityCases = storageCases("storage: activity", {
  *"each transaction counts once, by its outcome"(store) {
    const id = yield* givenCategory(store)
    const before = outcomesOf(store.activity)
    yield* store.run((tx) => addPet(tx, id))
    yield* store.run((tx) => tx.pets.find(1))
    yield* Effect.exit(store.run((tx) => inTurn(addPet(tx, id), refuse())))
    yield* Effect.exit(store.run(() => throwing("a defect of the test")))
    assertEqual(outcomesOf(store.activity), {
      committed: before.committed + 2,
      rejected: before.rejected + 1,
      failed: before.failed + 1
    })
    assertEqual(store.activity.waiting, 0, "transactions that wait")
  },

  *"commits count if they changed something, with the transactions that share them"(store) {
    yield* store.run((tx) => tx.categories.insert(newCategory("Birds")))
    const { commits, grouped } = store.activity
    yield* atOnce(20, (index) => store.run((tx) => tx.categories.insert(newCategory(`Dogs ${index}`))))
    assertEqual(store.activity.grouped - grouped, 20, "the transactions in commits")
    const since = store.activity.commits - commits
    assertTrue(since >= 1 && since <= 20, `20 transactions have 1 to 20 commits, not ${since}`)
    assertEqual(
      store.activity.groupSizes.reduce((sum, count) => sum + count, 0),
      store.activity.commits,
      "the commits of all sizes"
    )
  },

  *"a transaction that changes nothing is no commit, whether it succeeds or fails, alone or among others"(store) {
    const id = yield* givenCategory(store)
    const commitsOf = ({ commits, groupSizes, grouped, largestGroup }: StorageActivity) => {
      return { commits, groupSizes: [...groupSizes], grouped, largestGroup }
    }
    const before = commitsOf(store.activity)
    const idle = [
      store.run((tx) => tx.categories.find(id)),
      store.run((tx) => tx.categories.lock(id)),
      store.run((tx) => tx.select(petsBy, { categoryId: id, after: 0 }, 5)),
      store.run((tx) => inTurn(addPet(tx, id), refuse())),
      store.run((tx) => inTurn(addPet(tx, id), throwing("a defect of the test")))
    ]
    for (const one of idle) yield* Effect.exit(one)
    yield* Effect.all(idle.map(Effect.exit), { concurrency: "unbounded" })
    assertEqual(commitsOf(store.activity), before, "the commits")
  }
})
