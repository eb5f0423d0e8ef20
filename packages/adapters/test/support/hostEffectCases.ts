import { assert, it } from "@effect/vitest"
import type { HostTransaction } from "@petstore/core"
import type { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The petstore of Effect, and a connection of the host application on its database. */
export interface HostedPetstore {
  readonly petstore: Petstore["Service"]
  /** What a call is given while a transaction is open. */
  readonly transaction: HostTransaction
  readonly run: (sql: "BEGIN" | "COMMIT" | "ROLLBACK") => Effect.Effect<unknown>
}

/** Gives a body a petstore, and checks its invariants afterwards. */
type InShop = <E>(body: (hosted: HostedPetstore) => Effect.Effect<void, E>) => Effect.Effect<void, unknown, Scope.Scope>

export const namesOf = ({ categories }: Petstore["Service"]) =>
  Effect.map(categories.list(), ({ items }) => items.map(({ name }) => name))

/** Creates categories at the same time. Returns which are created. */
export const createTogether = ({ categories }: Petstore["Service"]) =>
  Effect.forEach(["Cats", "cats", "Dogs", "dogs", "Birds"], (name) => Effect.isSuccess(categories.create({ name })), {
    concurrency: "unbounded"
  })

/** The tests of programs of Effect in transactions of a host application that hold for every engine. */
export const hostEffectCases = (inShop: InShop): void => {
  it.effect("when commands run within a transaction of the host, then each takes effect with it, or not at all", () =>
    inShop(({ petstore, run, transaction }) =>
      Effect.gen(function* () {
        const { categories, inventory, orders, pets, within } = petstore
        const sell = (name: string, quantity: number) =>
          Effect.gen(function* () {
            const { id: categoryId } = yield* categories.create({ name })
            const { id: petId } = yield* pets.create({ name: "Tom", categoryId })
            yield* inventory.set(petId, 3)
            yield* orders.place({ petId, quantity, complete: true })
            return (yield* inventory.get(petId)).quantity
          })
        yield* run("BEGIN")
        assert.strictEqual(yield* within(transaction)(sell("Cats", 2)), 1)
        const error = yield* Effect.flip(within(transaction)(sell("Dogs", 4)))
        assert.strictEqual(error._tag, "InsufficientStock")
        assert.deepStrictEqual(yield* namesOf(petstore), [])
        yield* run("COMMIT")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Cats", "Dogs"])
        assert.lengthOf((yield* orders.list()).items, 1)
        yield* run("BEGIN")
        yield* within(transaction)(categories.create({ name: "Birds" }))
        yield* run("ROLLBACK")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Cats", "Dogs"])
      })
    )
  )

  it.effect("when commands of a body run at the same time, then only those that are rejected have no effect", () =>
    inShop(({ petstore, run, transaction }) =>
      Effect.gen(function* () {
        yield* run("BEGIN")
        const created = yield* petstore.within(transaction)(createTogether(petstore))
        assert.deepStrictEqual(created, [true, false, true, false, true])
        yield* run("COMMIT")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Cats", "Dogs", "Birds"])
      })
    )
  )

  it.effect("when a body that runs once is repeated in a later transaction, then it returns its first result", () =>
    inShop(({ petstore, run, transaction }) =>
      Effect.gen(function* () {
        const { categories, once, within } = petstore
        const create = once(
          "cats",
          Effect.map(categories.create({ name: "Cats" }), ({ id }) => ({ id }))
        )
        const committed = Effect.andThen(run("BEGIN"), Effect.ensuring(within(transaction)(create), run("COMMIT")))
        const first = yield* committed
        assert.deepStrictEqual(yield* committed, first)
        assert.lengthOf((yield* categories.list()).items, 1)
        const apart = yield* Effect.exit(create)
        assert.match(String(apart), /once runs its body in a transaction of your app/)
      })
    )
  )
}
