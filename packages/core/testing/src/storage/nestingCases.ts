import { pets } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { allRows } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { diedClearly, outcome } from "./outcomes.ts"
import { addPet, givenCategory, renamePet } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const names = (store: TestedStore) => Effect.map(store.pets.scan([], 100), (pets) => pets.map(({ name }) => name))

/** Runs a body that adds pets by name, in a new category. */
const adding = <A, E>(
  store: TestedStore,
  body: (add: (name: string) => ReturnType<typeof addPet>) => Effect.Effect<A, E>
) => Effect.flatMap(givenCategory(store), (categoryId) => body((name) => addPet(store, categoryId, { name })))

export const nestingCases = storageCases("storage: nested transactions", {
  "an inner transaction sees the changes of the outer one, and the outer one sees those of the inner one": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        yield* store.transact(
          Effect.gen(function* () {
            yield* add("outer")
            const visible = yield* store.transact(Effect.andThen(add("inner"), names(store)))
            assertEqual(visible, ["outer", "inner"])
            assertEqual(yield* names(store), ["outer", "inner"])
            yield* add("after")
          })
        )
        assertEqual(yield* names(store), ["outer", "inner", "after"])
      })
    ),

  "an inner transaction that fails is rolled back alone, returns its error, and the outer one continues": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        const error = yield* store.transact(
          Effect.gen(function* () {
            yield* add("outer")
            const error = yield* Effect.flip(store.transact(Effect.andThen(add("inner"), Effect.fail("no"))))
            assertEqual(yield* names(store), ["outer"])
            yield* add("after")
            return error
          })
        )
        assertEqual(error, "no")
        assertEqual(yield* names(store), ["outer", "after"])
      })
    ),

  "an inner transaction that dies is rolled back alone if the outer one catches the defect": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        const exit = yield* store.transact(
          Effect.gen(function* () {
            yield* add("outer")
            const exit = yield* Effect.exit(
              store.transact(Effect.andThen(add("inner"), Effect.die(new Error("a defect"))))
            )
            yield* add("after")
            return exit
          })
        )
        diedClearly(exit, /a defect/)
        assertEqual(yield* names(store), ["outer", "after"])
      })
    ),

  "a command inside a body sees what came before it, and nothing of a part that failed": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        const { run } = store.opened
        // A decorator of rows leaves it out.
        if (run === undefined) return
        const describe = (id: number) =>
          run(function* (tx) {
            const pet = yield* tx.lock(pets, id)
            if (pet !== undefined) tx.save(pets, { ...pet, name: `${pet.name} again` })
          })
        yield* store.transact(
          Effect.gen(function* () {
            const id = yield* add("Rex")
            const lost = Effect.andThen(renamePet(store, id, "lost"), describe(id))
            yield* Effect.exit(store.transact(Effect.andThen(lost, Effect.fail("no"))))
            yield* describe(id)
            assertEqual((yield* store.pets.find(id))?.name, "Rex again")
            yield* renamePet(store, id, "Max")
            yield* describe(id)
          })
        )
        assertEqual(yield* names(store), ["Max again"])
      })
    ),

  "an outer transaction that fails rolls back the inner ones": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        const before = yield* allRows(store)
        const exit = yield* Effect.exit(
          store.transact(
            Effect.andThen(
              store.transact(Effect.andThen(add("inner"), store.transact(add("innermost")))),
              Effect.fail("no")
            )
          )
        )
        assertEqual(outcome(exit), "failed")
        assertEqual(yield* allRows(store), before)
      })
    ),

  "of hundreds of inner transactions, those that do not fail are kept": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        yield* store.transact(
          Effect.forEach(
            Array.from({ length: 100 }, (_, index) => index),
            (index) =>
              Effect.exit(
                store.transact(Effect.andThen(add(`Rex ${index}`), index % 2 === 0 ? Effect.void : Effect.fail("no")))
              ),
            { discard: true }
          )
        )
        const expected = Array.from({ length: 50 }, (_, index) => `Rex ${2 * index}`)
        assertEqual(yield* names(store), expected)
      })
    ),

  "concurrent work of the outer transaction is kept apart from inner ones that yield": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        const part = (name: string) =>
          Effect.gen(function* () {
            for (const step of [1, 2, 3]) {
              yield* add(`${name} ${step}`)
              yield* Effect.yieldNow
            }
          })
        const inner = (name: string, end: Effect.Effect<void, string>) =>
          Effect.exit(store.transact(Effect.andThen(part(name), end)))
        const exits = yield* store.transact(
          Effect.andThen(Effect.forkChild(part("outer"), { startImmediately: true }), (outer) =>
            Effect.tap(
              Effect.all([inner("a", Effect.fail("no")), inner("b", Effect.void), inner("c", Effect.fail("no"))], {
                concurrency: "unbounded"
              }),
              () => Fiber.join(outer)
            )
          )
        )
        assertEqual(exits.map(outcome), ["failed", "ok", "failed"])
        assertEqual((yield* names(store)).sort(), ["b 1", "b 2", "b 3", "outer 1", "outer 2", "outer 3"])
      })
    ),

  "an inner transaction that waits dies, and the outer one can continue": (store) =>
    adding(store, (add) =>
      Effect.gen(function* () {
        yield* store.transact(
          Effect.gen(function* () {
            yield* add("outer")
            const exit = yield* Effect.exit(store.transact(Effect.andThen(add("inner"), Effect.sleep("1 hour"))))
            diedClearly(exit, /wait/)
            yield* add("after")
          })
        )
        assertEqual(yield* names(store), ["outer", "after"])
      })
    )
})
