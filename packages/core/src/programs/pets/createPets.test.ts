import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import type { NewPet } from "../../domain/pets/Pet.ts"
import { refusal } from "../../domain/rules/index.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import type { RuntimeOptions } from "../../runtime/Runtime.ts"
import { movements, pets } from "../../tables/index.ts"

class NoCats extends refusal("no_cats", () => "We have no room for cats.") {}

const fresh = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>, options?: RuntimeOptions) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory(), options)))

const twoCategories = Effect.gen(function* () {
  const { categories } = yield* Petstore
  yield* categories.create({ name: "Dogs" })
  yield* categories.create({ name: "Cats" })
})

/** Everything that a command writes, but the ids of events. */
const written = Effect.gen(function* () {
  const { events, scan } = yield* Storage
  const log = yield* events.scan(0, 100)
  return {
    pets: yield* scan(pets, [], 100),
    movements: yield* scan(movements, [], 100),
    // As JSON, in which the order of fields shows.
    events: log.map(({ id: _, ...event }) => JSON.stringify(event))
  }
})

const idsOf = (created: ReadonlyArray<{ readonly id: number }>): ReadonlyArray<number> => created.map(({ id }) => id)

const inputs: ReadonlyArray<NewPet> = [
  { name: "Rex", categoryId: 1 },
  { name: "Tom", categoryId: 2, status: "pending" },
  { name: "Max", categoryId: 1, status: "sold" },
  { name: "Kit", categoryId: 2, status: "available" }
]

describe("given pets that are created together", () => {
  it.effect("then their categories are locked in ascending order, whatever the order of the pets", () =>
    Effect.suspend(() =>
      Effect.gen(function* () {
        yield* twoCategories
        yield* (yield* Petstore).pets.createAll([...inputs].reverse())
      }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory()))))
    )
  )

  it.effect("then they leave the rows and the events that they leave when each is created alone", () =>
    Effect.gen(function* () {
      const together = yield* fresh(
        Effect.gen(function* () {
          yield* twoCategories
          const { pets, verify } = yield* Petstore
          assert.deepStrictEqual(idsOf(yield* pets.createAll(inputs)), [1, 2, 3, 4])
          assert.isTrue((yield* verify).ok)
          return yield* written
        })
      )
      const alone = yield* fresh(
        Effect.gen(function* () {
          yield* twoCategories
          const { pets } = yield* Petstore
          yield* Effect.forEach(inputs, (input) => pets.create(input))
          return yield* written
        })
      )
      assert.deepStrictEqual(together, alone)
    })
  )

  it.effect("when a rule of the app rejects one, then none is there", () =>
    fresh(
      Effect.gen(function* () {
        yield* twoCategories
        const before = yield* written
        const { pets } = yield* Petstore
        const error = yield* Effect.flip(pets.createAll(inputs))
        assert.instanceOf(error, NoCats)
        assert.deepStrictEqual([error.code, error.details], ["no_cats", { index: 1 }])
        assert.deepStrictEqual(yield* written, before)
        const dogs = inputs.filter(({ categoryId }) => categoryId === 1)
        assert.deepStrictEqual(idsOf(yield* pets.createAll(dogs)), [1, 2])
      }),
      { rules: { newPet: ({ pet }) => (pet.category.name === "Cats" ? new NoCats({}) : undefined) } }
    )
  )
})
