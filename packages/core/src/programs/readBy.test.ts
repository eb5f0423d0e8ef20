import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { theStore } from "../domain/access/Principal.ts"
import { fail } from "../kernel/Command.ts"
import type { Reads } from "../kernel/Transaction.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import { Storage } from "../ports/Storage.ts"
import { categories, categoriesAfter } from "../tables/index.ts"
import { readBy } from "./readBy.ts"

/** A store with a category, which counts its snapshots. Another category is added before each of them. */
const given = Effect.gen(function* () {
  const petstore = yield* Petstore
  const store = yield* Storage
  yield* petstore.categories.create({ name: "Cats" })
  const seen = { snapshots: 0 }
  const counting: Storage["Service"] = {
    ...store,
    snapshot: (body) => {
      const name = `Category ${++seen.snapshots}`
      return Effect.andThen(Effect.orDie(petstore.categories.create({ name })), store.snapshot(body))
    }
  }
  return { read: readBy(counting), seen }
})

const inPetstore = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory())))

const all = (rows: Reads) => rows.all(categoriesAfter, { after: 0 }, 10)

describe("given a query on a store", () => {
  it.effect("when it reads once, then it takes no snapshot", () =>
    inPetstore(
      Effect.gen(function* () {
        const { read, seen } = yield* given
        const found = yield* read(function* (rows) {
          return (yield* rows.find(categories, 1))?.category.name
        })
        assert.deepStrictEqual([found, seen.snapshots], ["Cats", 0])
      })
    )
  )

  it.effect("when it reads again, then it starts anew in one snapshot, and each of its answers is of that", () =>
    inPetstore(
      Effect.gen(function* () {
        const { read, seen } = yield* given
        const found = yield* read(function* (rows) {
          return [
            (yield* all(rows)).length,
            yield* rows.count(categoriesAfter, { after: 0 }, 10),
            (yield* all(rows)).length
          ]
        })
        assert.deepStrictEqual([found, seen.snapshots], [[2, 2, 2], 1])
      })
    )
  )

  it.effect("when it says that it reads several times, then it begins in one snapshot", () =>
    inPetstore(
      Effect.gen(function* () {
        const { read, seen } = yield* given
        const answers: Array<number> = []
        yield* read(function* (rows) {
          yield* rows.together()
          answers.push((yield* all(rows)).length, yield* rows.count(categoriesAfter, { after: 0 }, 10))
        })
        assert.deepStrictEqual([answers, seen.snapshots], [[2, 2], 1])
      })
    )
  )

  it.effect("when it is known who asks, then rows that are at hand give its outcome at once", () =>
    inPetstore(
      Effect.gen(function* () {
        const { read } = yield* given
        const asker = { principal: theStore, services: yield* Effect.context<never>(), onStart: () => undefined }
        const asked = read(function* (rows) {
          return yield* rows.find(categories, 1)
        }, asker)
        assert.isTrue(Exit.isExit(asked))
      })
    )
  )

  it.effect("when it fails behind a reading, then its error is that of the effect", () =>
    inPetstore(
      Effect.gen(function* () {
        const { read } = yield* given
        const failed = read(function* (rows) {
          return yield* fail(`not ${(yield* all(rows)).length}`)
        })
        assert.strictEqual(yield* Effect.flip(failed), "not 1")
      })
    )
  )
})
