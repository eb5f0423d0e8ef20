import { categoriesByName, movementsOf, ordersBy, petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfCommands, allRows } from "./allRows.ts"
import type { StorageCases } from "./cases.ts"
import { diedClearly, outcome } from "./outcomes.ts"
import { givenCategory, newCategory } from "./rows.ts"
import type { OpenHostTransaction } from "./StorageFixture.ts"
import type { TestedFixture, TestedHost, TestedStore } from "./TestedStore.ts"
import { readLog, watching } from "./watching.ts"

type Join = NonNullable<TestedStore["join"]>

/** A store, and what a host does beside it. */
interface Given {
  readonly store: TestedStore
  readonly join: Join
  readonly begin: Effect.Effect<OpenHostTransaction, unknown, Scope.Scope>
  readonly fixture: TestedFixture
}

type Body = (given: Given) => Effect.Effect<void, unknown, Scope.Scope>

const names = (store: TestedStore) =>
  Effect.map(store.categories.scan([], 100), (found) => found.map(({ nameKey }) => nameKey))

const add = (store: TestedStore, name: string) => store.categories.insert(newCategory(name))

/** What the lists with filters have. */
const lists = (store: TestedStore) =>
  Effect.all({
    pets: Effect.forEach(
      [
        {},
        { name: "Re" },
        { name: "Rex", status: "available" as const },
        { categoryId: 1 },
        { categoryId: 2, name: "R" },
        { status: "sold" as const }
      ],
      (query) => store.select(petsBy, { ...query, after: 0 }, 10)
    ),
    orders: Effect.forEach([{}, { petId: 2 }, { complete: true }, { petId: 3, complete: false }], (query) =>
      store.select(ordersBy, { ...query, after: 0 }, 10)
    ),
    categories: store.categories.scan([], 10),
    named: store.select(categoriesByName, "category 2", 1),
    inCategory: Effect.forEach([1, 2, 3, 4], (id) => store.select(petsBy, { categoryId: id, after: 0 }, 1)),
    movements: store.select(movementsOf, { petId: 2, after: 0 }, 10),
    latest: store.events.latest
  })

const bodies: Readonly<Record<string, Body>> = {
  "the changes of a body are visible when the host application commits, and not before": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const before = yield* allRows(store)
      const host = yield* begin
      yield* join(host.transaction, addOneOfCommands(store, 1))
      assertEqual(yield* allRows(store), before, "everything before the commit")
      yield* host.commit
      yield* readLog(store, 1)
      for (const [kind, rows] of Object.entries(yield* allRows(store)))
        assertEqual(rows.length, kind === "checkpoints" ? 0 : 1, `the number of ${kind}`)
      assertEqual(yield* store.inspect, [])
    }),

  "the changes of bodies are rolled back with the host transaction, and the store keeps working": ({
    begin,
    join,
    store
  }) =>
    Effect.gen(function* () {
      yield* givenCategory(store)
      const before = yield* allRows(store)
      const host = yield* begin
      yield* join(host.transaction, addOneOfCommands(store, 1))
      yield* join(host.transaction, add(store, "Cats"))
      yield* host.rollback
      assertEqual(yield* allRows(store), before)
      yield* store.transact(addOneOfCommands(store, 1))
      assertEqual((yield* readLog(store, 1)).length, 1)
    }),

  "a body sees the changes of earlier bodies in its transaction": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const host = yield* begin
      const id = yield* join(host.transaction, add(store, "Dogs"))
      assertEqual((yield* join(host.transaction, store.categories.find(id)))?.nameKey, "dogs")
      assertEqual(yield* join(host.transaction, names(store)), ["dogs"])
      yield* host.commit
      assertEqual(yield* names(store), ["dogs"])
    }),

  "a body sees its own changes in every list, as others do after the commit": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const petId = yield* store.transact(addOneOfCommands(store, 1))
      const host = yield* begin
      const seen = yield* join(
        host.transaction,
        Effect.gen(function* () {
          yield* addOneOfCommands(store, 2)
          const pet = yield* store.pets.lock(petId)
          if (pet === undefined) return yield* Effect.die(new Error("The pet is gone"))
          const stock = { onHand: 7, reserved: 0, held: false }
          yield* store.pets.save({ ...pet, name: "Renamed", stock })
          assertEqual((yield* store.pets.lock(petId))?.name, "Renamed", "the pet, locked again")
          yield* store.transact(addOneOfCommands(store, 3))
          const failing = Effect.andThen(addOneOfCommands(store, 4), Effect.fail("no"))
          yield* Effect.exit(store.transact(failing))
          return [yield* allRows(store), yield* lists(store)]
        })
      )
      yield* host.commit
      assertEqual([yield* allRows(store), yield* lists(store)], seen)
      assertEqual(yield* store.inspect, [])
    }),

  "a body that fails or dies is rolled back alone, returns its error, and the host transaction continues": ({
    begin,
    join,
    store
  }) =>
    Effect.gen(function* () {
      const host = yield* begin
      yield* join(host.transaction, add(store, "Dogs"))
      const failed = yield* Effect.exit(
        join(host.transaction, Effect.andThen(add(store, "Cats"), Effect.fail({ _tag: "No" })))
      )
      assertEqual(outcome(failed), "No")
      const died = yield* Effect.exit(
        join(host.transaction, Effect.andThen(add(store, "Cats"), Effect.die(new Error("a defect"))))
      )
      diedClearly(died, /a defect/)
      yield* join(host.transaction, add(store, "Birds"))
      yield* host.commit
      assertEqual(yield* names(store), ["dogs", "birds"])
    }),

  "a nested transaction of a body can fail alone": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const host = yield* begin
      yield* join(
        host.transaction,
        Effect.gen(function* () {
          yield* add(store, "Dogs")
          yield* Effect.exit(store.transact(Effect.andThen(add(store, "Cats"), Effect.fail("no"))))
          yield* store.transact(add(store, "Birds"))
        })
      )
      yield* host.commit
      assertEqual(yield* names(store), ["dogs", "birds"])
    }),

  "concurrent bodies in one transaction run one after the other, and each fails alone": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const host = yield* begin
      const numbers = Array.from({ length: 20 }, (_, index) => index)
      const exits = yield* Effect.forEach(
        numbers,
        (n) =>
          Effect.exit(
            join(host.transaction, Effect.andThen(add(store, `C ${n}`), n % 3 === 0 ? Effect.fail("no") : Effect.void))
          ),
        { concurrency: "unbounded" }
      )
      yield* host.commit
      const done = numbers.filter((n) => n % 3 !== 0)
      assertEqual(
        exits.flatMap((exit, n) => (Exit.isSuccess(exit) ? [n] : [])),
        done
      )
      assertEqual((yield* names(store)).toSorted(), done.map((n) => `c ${n}`).toSorted())
    }),

  "events appear when the host application commits, and watchers are called": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const { until } = yield* watching(store)
      const host = yield* begin
      yield* join(host.transaction, addOneOfCommands(store, 1))
      assertEqual(yield* store.events.latest, 0)
      yield* host.commit
      assertEqual(yield* until(store.events.latest, (latest) => latest > 0), 1)
    }),

  "a transaction that has ended is rejected, and nothing changes": ({ begin, join, store }) =>
    Effect.gen(function* () {
      for (const end of ["commit", "rollback"] as const) {
        const host = yield* begin
        yield* host[end]
        diedClearly(yield* Effect.exit(join(host.transaction, add(store, "Late"))), /transaction/i)
      }
      assertEqual(yield* names(store), [])
    }),

  "a value that is not a transaction is rejected": ({ join, store }) =>
    Effect.gen(function* () {
      diedClearly(yield* Effect.exit(join({}, add(store, "Stray"))), /transaction/i)
      assertEqual(yield* names(store), [])
    }),

  "a transaction of another database is rejected, and can continue": ({ begin, fixture, join, store }) =>
    Effect.gen(function* () {
      const other = yield* fixture.host?.openElsewhere(store) ?? fixture.open
      const host = yield* begin
      const exit = yield* Effect.exit(other.join?.(host.transaction, add(other, "Stray")) ?? Effect.void)
      diedClearly(exit, /another database/i)
      yield* join(host.transaction, add(store, "Dogs"))
      yield* host.commit
      assertEqual([yield* names(store), yield* names(other)], [["dogs"], []])
    }),

  "a host transaction is rejected inside a transaction of the store": ({ begin, join, store }) =>
    Effect.gen(function* () {
      const host = yield* begin
      const exit = yield* Effect.exit(join(host.transaction, join(host.transaction, add(store, "Dogs"))))
      diedClearly(exit, /transaction/i)
      yield* host.rollback
      assertEqual(yield* names(store), [])
    })
}

const group = "storage: transactions of a host application"

const withHost = (fixture: TestedFixture, { begin }: TestedHost): ReadonlyArray<ContractCase> =>
  Object.entries(bodies).map(([name, body]) => ({
    group,
    name,
    run: Effect.scoped(
      Effect.gen(function* () {
        const store = yield* fixture.open
        const { join } = store
        if (join === undefined) return yield* Effect.die(new Error("The fixture has a host, but the store has no join"))
        yield* body({ store, join, begin: begin(store), fixture })
      })
    )
  }))

/** What `join` promises; a store that cannot join has none. */
export const hostCases: StorageCases = (fixture) =>
  fixture.host === undefined
    ? [
        {
          group,
          name: "a store without them has no join",
          run: Effect.scoped(
            Effect.map(fixture.open, ({ join }) =>
              assertTrue(join === undefined, "the fixture has a host, where the store has a join")
            )
          )
        }
      ]
    : withHost(fixture, fixture.host)
