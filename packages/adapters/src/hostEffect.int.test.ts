import { assert, describe, it } from "@effect/vitest"
import { Petstore, runtimeOf } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { type HostShop, hosts } from "../test/support/hosts.ts"

expectLogs(clearText)

/** The petstore of Effect, and transactions of the host application on its database. */
interface Hosted {
  readonly petstore: Petstore["Service"]
  readonly begin: Effect.Effect<{
    readonly within: Petstore["Service"]["within"] extends (transaction: infer _) => infer Within ? Within : never
    readonly commit: Effect.Effect<unknown>
    readonly rollback: Effect.Effect<unknown>
  }>
}

const hostedIn = ({ library, petstore: opened }: HostShop): Effect.Effect<Hosted> =>
  Effect.gen(function* () {
    const petstore = yield* Effect.promise(() => runtimeOf(opened).runPromise(Petstore))
    const begin = Effect.map(
      Effect.promise(() => library.begin()),
      ({ commit, rollback, transaction }) => ({
        within: petstore.within(transaction),
        commit: Effect.promise(commit),
        rollback: Effect.promise(rollback)
      })
    )
    return { petstore, begin }
  })

const namesOf = ({ categories }: Petstore["Service"]) =>
  Effect.map(categories.list(), ({ items }) => items.map(({ name }) => name))

type Case = (hosted: Hosted) => Effect.Effect<void, unknown>

const cases: Readonly<Record<string, Case>> = {
  "when commands run within it, then each takes effect with it, or not at all": ({ begin, petstore }) =>
    Effect.gen(function* () {
      const { categories, inventory, orders, pets } = petstore
      const sell = (name: string, quantity: number) =>
        Effect.gen(function* () {
          const { id: categoryId } = yield* categories.create({ name })
          const { id: petId } = yield* pets.create({ name: "Tom", categoryId })
          yield* inventory.set(petId, 3)
          yield* orders.place({ petId, quantity, complete: true })
          return (yield* inventory.get(petId)).quantity
        })
      const first = yield* begin
      assert.strictEqual(yield* first.within(sell("Cats", 2)), 1)
      const error = yield* Effect.flip(first.within(sell("Dogs", 4)))
      assert.strictEqual(error._tag, "InsufficientStock")
      assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits"])
      yield* first.commit
      assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits", "Cats", "Dogs"])
      assert.lengthOf((yield* orders.list()).items, 1)
      const second = yield* begin
      yield* second.within(categories.create({ name: "Birds" }))
      yield* second.rollback
      assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits", "Cats", "Dogs"])
    }),

  "when commands of a body run at the same time, then only those that are rejected have no effect": ({
    begin,
    petstore
  }) =>
    Effect.gen(function* () {
      const { commit, within } = yield* begin
      const create = (name: string) => Effect.isSuccess(petstore.categories.create({ name }))
      const names = ["Cats", "cats", "Dogs", "dogs", "Birds"]
      const created = yield* within(Effect.forEach(names, create, { concurrency: "unbounded" }))
      assert.deepStrictEqual(created, [true, false, true, false, true])
      yield* commit
      assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits", "Cats", "Dogs", "Birds"])
    }),

  "when a body that runs once is repeated in a later transaction, then it returns its first result": ({
    begin,
    petstore
  }) =>
    Effect.gen(function* () {
      const { categories, once } = petstore
      const create = once(
        "cats",
        Effect.map(categories.create({ name: "Cats" }), ({ id }) => ({ id }))
      )
      const committed = Effect.flatMap(begin, ({ commit, within }) => Effect.ensuring(within(create), commit))
      const first = yield* committed
      assert.deepStrictEqual(yield* committed, first)
      assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits", "Cats"])
      const apart = yield* Effect.exit(create)
      assert.match(String(apart), /once runs its body in a transaction of your app/)
    })
}

const endsBefore: Case = ({ begin, petstore }) =>
  Effect.gen(function* () {
    const { commit, within } = yield* begin
    const create = petstore.categories.create({ name: "Cats" })
    const begun = yield* within(Effect.forkDetach(create, { startImmediately: true }))
    yield* commit
    const cats = yield* Fiber.join(begun)
    assert.deepStrictEqual(yield* namesOf(petstore), ["Rabbits", cats.name])
  })

const interrupted: Case = ({ begin, petstore: { categories, ...petstore } }) =>
  Effect.gen(function* () {
    const { commit, within } = yield* begin
    const fiber = yield* Effect.forkDetach(within(categories.create({ name: "Cats" })), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    yield* within(categories.create({ name: "Dogs" }))
    yield* commit
    assert.deepStrictEqual(yield* namesOf({ categories, ...petstore }), ["Rabbits", "Dogs"])
  })

/** What depends on when the statements of a library reach the database. */
const casesOf: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  "Kysely on SQLite": {
    "when a body ends before a command that it began, then that takes effect completely": endsBefore
  },
  "pg on PostgreSQL": {
    "when a program is interrupted before it writes, then nothing of it is there, and the next one works": interrupted
  }
}

for (const { name, open } of hosts()) {
  describe(`given the petstore of Effect in a transaction of ${name}`, () => {
    for (const [title, body] of Object.entries({ ...cases, ...casesOf[name] })) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const hosted = yield* Effect.flatMap(open, hostedIn)
          yield* body(hosted)
          assert.isTrue((yield* hosted.petstore.verify).ok)
        })
      )
    }
  })
}
