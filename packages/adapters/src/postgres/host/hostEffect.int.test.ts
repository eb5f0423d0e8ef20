import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type pg from "pg"
import { session } from "../../../test/support/postgres/sessions.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

/** Gives a body the petstore of Effect and a client of the host, on one database. */
const inShop = <A, E>(
  body: (
    petstore: Petstore["Service"],
    client: pg.Client,
    run: (sql: string) => Effect.Effect<unknown>
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const url = yield* testDatabase
    const client = yield* session(url)
    yield* Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* body(petstore, client, (sql) => Effect.promise(() => client.query(sql)))
      assert.isTrue((yield* petstore.verify).ok)
    }).pipe(Effect.provide(Petstore.layer(postgres(url))))
  })

const namesOf = ({ categories }: Petstore["Service"]) =>
  Effect.map(categories.list(), ({ items }) => items.map(({ name }) => name))

describe("given the petstore of Effect on PostgreSQL", () => {
  it.effect(
    "when commands run within a transaction of the host application, then each takes effect or not at all",
    () =>
      inShop((petstore, client, run) =>
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
          assert.strictEqual(yield* within(client)(sell("Cats", 2)), 1)
          const error = yield* Effect.flip(within(client)(sell("Dogs", 4)))
          assert.strictEqual(error._tag, "InsufficientStock")
          assert.deepStrictEqual(yield* namesOf(petstore), [])
          yield* run("COMMIT")
          assert.deepStrictEqual(yield* namesOf(petstore), ["Cats", "Dogs"])
          assert.deepStrictEqual((yield* orders.list()).items.length, 1)
        })
      )
  )

  it.effect("when commands of a body run at the same time, then only those that are rejected have no effect", () =>
    inShop((petstore, client, run) =>
      Effect.gen(function* () {
        const { categories, within } = petstore
        yield* run("BEGIN")
        const all = Effect.forEach(
          ["Cats", "cats", "Dogs", "dogs", "Birds"],
          (name) => Effect.isSuccess(categories.create({ name })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* within(client)(all), [true, false, true, false, true])
        yield* run("COMMIT")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Cats", "Dogs", "Birds"])
      })
    )
  )

  it.effect("when a program is interrupted before it writes, then nothing of it is there, and the next one works", () =>
    inShop((petstore, client, run) =>
      Effect.gen(function* () {
        const { categories, within } = petstore
        yield* run("BEGIN")
        const fiber = yield* Effect.forkDetach(within(client)(categories.create({ name: "Cats" })), {
          startImmediately: true
        })
        yield* Fiber.interrupt(fiber)
        yield* within(client)(categories.create({ name: "Dogs" }))
        yield* run("COMMIT")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Dogs"])
      })
    )
  )
})
