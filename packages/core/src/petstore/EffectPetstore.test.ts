import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "./EffectPetstore.ts"

const fresh = <A, E>(body: Effect.Effect<A, E, Petstore>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(withLockChecks(memory()))))

describe("given two petstores in one program", () => {
  it.effect("when both are written to, then each has its own data alone", () =>
    fresh(
      Effect.gen(function* () {
        const dogs = yield* Petstore
        yield* dogs.categories.create({ name: "Dogs" })
        const ofCats = yield* fresh(
          Effect.gen(function* () {
            const cats = yield* Petstore
            yield* cats.categories.create({ name: "Cats" })
            return (yield* cats.categories.list()).items
          })
        )
        assert.deepStrictEqual(ofCats, [{ id: 1, name: "Cats" }])
        assert.deepStrictEqual((yield* dogs.categories.list()).items, [{ id: 1, name: "Dogs" }])
      })
    )
  )
})

describe("given a petstore in memory", () => {
  it("when a program runs that waits for nothing, then it needs no promise", () => {
    const created = Effect.gen(function* () {
      const petstore = yield* Petstore
      const { id: categoryId } = yield* petstore.categories.create({ name: "Dogs" })
      return yield* petstore.pets.create({ name: "Rex", categoryId })
    }).pipe(Effect.provide(Petstore.layer(memory())))
    assert.strictEqual(Effect.runSync(created).id, 1)
  })
})

describe("given lists of several pages", () => {
  it.effect("when they are streamed, then each item is emitted once, in order, as far as the stream is read", () =>
    fresh(
      Effect.gen(function* () {
        const { messages } = yield* Petstore
        const texts = Array.from({ length: 25 }, (_, n) => `Message ${n}`)
        for (const text of texts) yield* messages.enqueue(text)
        const streamed = yield* Stream.runCollect(messages.all({ limit: 10 }))
        assert.deepStrictEqual(
          Array.from(streamed, ({ message }) => message),
          texts
        )
        const few = yield* Stream.runCollect(Stream.take(messages.all({ limit: 10 }), 3))
        assert.deepStrictEqual(
          Array.from(few, ({ message }) => message),
          texts.slice(0, 3)
        )
      })
    )
  )
})
