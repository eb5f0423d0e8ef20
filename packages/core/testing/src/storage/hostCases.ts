import { categoriesByName, movementsOf, ordersBy, petsBy } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual, assertTrue } from "../check.ts"
import { addOneOfCommands, allRows } from "./allRows.ts"
import type { StorageCases } from "./cases.ts"
import { diedClearly, outcome, wasRefused } from "./outcomes.ts"
import { inTurn, refuse, throwing } from "./programs.ts"
import { addPet, givenCategory, newCategory, renamePet } from "./rows.ts"
import type { OpenHostTransaction } from "./StorageFixture.ts"
import type { TestedFixture, TestedHost, TestedStore, TestedTransaction } from "./TestedStore.ts"
import { readLog, watching } from "./watching.ts"

type Join = NonNullable<TestedStore["join"]>

/** A store, and what a host does beside it. */
interface Given {
  readonly store: TestedStore
  readonly join: Join
  readonly begin: Effect.Effect<OpenHostTransaction, unknown, Scope.Scope>
  readonly fixture: TestedFixture
}

type Body = (given: Given) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const names = (store: TestedStore) =>
  Effect.map(store.categories.scan([], 100), (categories) => categories.map(({ nameKey }) => nameKey))

const add = (name: string) => (tx: TestedTransaction) => tx.categories.insert(newCategory(name))

const addOne = (n: number) => (tx: TestedTransaction) => addOneOfCommands(tx, n)

const bodies: Readonly<Record<string, Body>> = {
  *"the changes of a command are visible when the host application commits, and not before"({ begin, join, store }) {
    const before = yield* allRows(store)
    const host = yield* begin
    yield* join(host.transaction, addOne(1))
    assertEqual(yield* allRows(store), before, "everything before the commit")
    yield* host.commit
    yield* readLog(store, 1)
    for (const [kind, rows] of Object.entries(yield* allRows(store)))
      assertEqual(rows.length, kind === "checkpoints" ? 0 : 1, `the number of ${kind}`)
    assertEqual(yield* store.inspect, [])
  },

  *"the changes of commands are rolled back with the host transaction, and the store keeps working"({
    begin,
    join,
    store
  }) {
    yield* givenCategory(store)
    const before = yield* allRows(store)
    const host = yield* begin
    yield* join(host.transaction, addOne(1))
    yield* join(host.transaction, add("Cats"))
    yield* host.rollback
    assertEqual(yield* allRows(store), before)
    yield* store.run(addOne(1))
    assertEqual((yield* readLog(store, 1)).length, 1)
  },

  *"a command sees the changes of earlier commands in its transaction, in lists too"({ begin, join, store }) {
    const petId = yield* store.run(addOne(1))
    const host = yield* begin
    const id = yield* join(host.transaction, add("Dogs"))
    yield* join(host.transaction, (tx) => renamePet(tx, petId, "Renamed"))
    yield* join(host.transaction, addOne(2))
    const look = function* (tx: TestedTransaction) {
      return {
        category: (yield* tx.categories.find(id))?.nameKey,
        locked: (yield* tx.pets.lock(petId))?.name,
        pets: yield* tx.select(petsBy, { name: "Re", after: 0 }, 10),
        orders: yield* tx.select(ordersBy, { complete: false, after: 0 }, 10),
        named: (yield* tx.select(categoriesByName, "category 2", 1)).length,
        movements: yield* tx.select(movementsOf, { petId, after: 0 }, 10)
      }
    }
    const seen = yield* join(host.transaction, look)
    assertEqual([seen.category, seen.locked, seen.named], ["dogs", "Renamed", 1])
    yield* host.commit
    assertEqual(yield* store.run(look), seen)
    assertEqual(yield* store.inspect, [])
  },

  *"a command that fails, throws or is refused is rolled back alone, and the host transaction continues"({
    begin,
    join,
    store
  }) {
    const host = yield* begin
    yield* join(host.transaction, add("Dogs"))
    const failed = yield* Effect.exit(join(host.transaction, (tx) => inTurn<string>(add("Cats")(tx), refuse())))
    assertEqual(outcome(failed), "failed")
    const died = yield* Effect.exit(join(host.transaction, (tx) => inTurn(add("Cats")(tx), throwing())))
    diedClearly(died, /a defect/)
    const refused = yield* Effect.exit(join(host.transaction, (tx) => inTurn(add("Cats")(tx), addPet(tx, 9_999))))
    wasRefused(refused)
    yield* join(host.transaction, add("Birds"))
    yield* host.commit
    assertEqual(yield* names(store), ["dogs", "birds"])
  },

  *"concurrent commands in one transaction run one after the other, and each fails alone"({ begin, join, store }) {
    const host = yield* begin
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    const exits = yield* Effect.forEach(
      numbers,
      (n) =>
        Effect.exit(
          join(host.transaction, (tx) => inTurn<string>(add(`C ${n}`)(tx), n % 3 === 0 ? refuse() : inTurn()))
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
  },

  *"events appear when the host application commits, and watchers are called"({ begin, join, store }) {
    const { until } = yield* watching(store)
    const host = yield* begin
    yield* join(host.transaction, addOne(1))
    assertEqual(yield* store.events.latest, 0)
    yield* host.commit
    assertEqual(yield* until(store.events.latest, (latest) => latest > 0), 1)
  },

  *"a transaction that has ended is rejected, and nothing changes"({ begin, join, store }) {
    for (const end of ["commit", "rollback"] as const) {
      const host = yield* begin
      yield* host[end]
      diedClearly(yield* Effect.exit(join(host.transaction, add("Late"))), /transaction/i)
    }
    assertEqual(yield* names(store), [])
  },

  *"a value that is not a transaction is rejected"({ join, store }) {
    diedClearly(yield* Effect.exit(join({}, add("Stray"))), /transaction/i)
    assertEqual(yield* names(store), [])
  },

  *"a transaction of another database is rejected, and can continue"({ begin, fixture, join, store }) {
    const other = yield* fixture.host?.openElsewhere(store) ?? fixture.open
    const host = yield* begin
    const exit = yield* Effect.exit(other.join?.(host.transaction, add("Stray")) ?? Effect.void)
    diedClearly(exit, /another database/i)
    yield* join(host.transaction, add("Dogs"))
    yield* host.commit
    assertEqual([yield* names(store), yield* names(other)], [["dogs"], []])
  }
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
        yield* Effect.gen(() => body({ store, join, begin: begin(store), fixture }))
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
