import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { assertEqual, assertTrue } from "../check.ts"
import { allRows } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { addPet, givenCategory, givenPet } from "./rows.ts"
import type { TestedFixture, TestedStore } from "./TestedStore.ts"

/** Another store on the database of this one, and how to close it. */
const openToClose = Effect.fnUntraced(function* (store: TestedStore, { openAnother }: TestedFixture) {
  const scope = yield* Scope.make()
  const opened = yield* Scope.provide(openAnother(store), scope)
  return { opened, close: Scope.close(scope, Exit.void) }
})

export const closingCases = storageCases("storage: closing", {
  *"a closed store rejects every operation with shutting_down"(store, fixture) {
    const id = yield* givenPet(store)
    const { opened, close } = yield* openToClose(store, fixture)
    assertEqual((yield* opened.pets.find(id))?.id, id)
    yield* close
    const operations: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
      find: opened.pets.find(id),
      list: opened.pets.scan([], 5),
      scan: opened.events.scan(0, 5),
      latest: opened.events.latest,
      watch: Effect.scoped(opened.watch(() => {})),
      run: opened.run((tx) => tx.pets.lock(id)),
      "run nothing": opened.run(function* () {}),
      snapshot: opened.snapshot(opened.pets.find(id)),
      ready: opened.ready,
      inspect: opened.inspect
    }
    for (const [what, operation] of Object.entries(operations)) {
      assertEqual(outcome(yield* Effect.exit(operation)), "ShuttingDown", `the outcome of ${what}`)
    }
  },

  *"closing one store leaves the database and its other stores as they are"(store, fixture) {
    const { opened, close } = yield* openToClose(store, fixture)
    const id = yield* givenPet(opened)
    const before = yield* allRows(opened)
    yield* close
    assertEqual(yield* allRows(store), before)
    const third = yield* fixture.openAnother(store)
    assertEqual(yield* allRows(third), before)
    const next = yield* third.run((tx) => addPet(tx, 1))
    assertTrue(next !== id, `${next} is not the id of another pet`)
    assertEqual((yield* store.pets.find(next))?.id, next)
  },

  *"a transaction that was started before closing succeeds, or fails and changes nothing"(store, fixture) {
    const categoryId = yield* givenCategory(store)
    const { opened, close } = yield* openToClose(store, fixture)
    const fibers = yield* Effect.forEach(
      Array.from({ length: 100 }, (_, index) => `Rex ${index}`),
      (name) =>
        Effect.forkChild(
          Effect.exit(
            Effect.as(
              opened.run((tx) => addPet(tx, categoryId, { name })),
              name
            )
          ),
          {
            startImmediately: true
          }
        )
    )
    yield* close
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    const done = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
    for (const exit of exits) {
      assertTrue(["ok", "ShuttingDown"].includes(outcome(exit)), `each is done or rejected, not ${outcome(exit)}`)
    }
    const there = (yield* store.pets.scan([], 1_000)).map(({ name }) => name)
    assertEqual(there.sort(), done.sort(), "who is there")
  }
})
