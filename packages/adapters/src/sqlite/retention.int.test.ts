import { statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Trimming } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import { killTrimmers } from "../../test/support/killedTrimmers.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

describe("given processes that remove events of one file while they sell", () => {
  it.live("when they are killed at any moment, then the checkpoint and the log agree", () =>
    Effect.flatMap(temporaryFile, (file) => killTrimmers("sqlite", file, () => sqlite(file)))
  )
})

describe("given a file that keeps few events", () => {
  it.live("when orders are placed and completed, then the space of removed events is used again", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: sqlite(file), retention: { events: { count: 10 } } })),
        (opened) => Effect.promise(() => opened.close())
      )
      const trimAll = Effect.flatMap(Trimming, ({ trim }) => Effect.repeat(trim, { until: ({ isLast }) => isLast }))
      const { id: categoryId } = yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      const { id: petId } = yield* Effect.promise(() => petstore.pets.create({ name: "Rex", categoryId }))
      /** How many pages the file has once the log was emptied. */
      const pagesAfter = (changes: number) =>
        Effect.promise(async () => {
          for (let n = 0; n < changes; n++) {
            await petstore.inventory.set(petId, 1 + (n % 7))
            if (n % 100 === 0) await runtimeOf(petstore).runPromise(trimAll)
          }
          await petstore.backup(`${file}-${changes}`)
          return statSync(file).size
        })
      yield* pagesAfter(300)
      const before = statSync(file).size
      yield* pagesAfter(301)
      // The movements stay: 90 bytes a change. The events are 280 bytes each.
      assert.isAtMost(statSync(file).size - before, 301 * 150)
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
    })
  )
})
