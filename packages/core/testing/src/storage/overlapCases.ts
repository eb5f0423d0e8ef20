import { petsBy } from "@petstore/core/tables"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { callStore, keepOpenUntil, overlapped, type Part, pairsOf, signal } from "./overlap.ts"
import {
  addOrder,
  addPet,
  givenCategory,
  givenPet,
  keyOf,
  newAccount,
  newCategory,
  newStoredResult,
  renamePet
} from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

const ends = {
  commits: Effect.void,
  "is rolled back": Effect.fail("rolled back")
}

const lockedName = (store: TestedStore, id: number) => Effect.map(store.pets.lock(id), (pet) => pet?.name)

export const overlapCases = storageCases("storage: overlapping transactions", {
  "transactions of two stores overlap if the fixture says that there are many writers, and else never": (
    store,
    fixture
  ) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const [opened, began] = [signal(), signal()]
      let overlap = false
      let isOpen = false
      const first = store.transact(
        Effect.gen(function* () {
          yield* callStore(store)
          isOpen = true
          yield* opened.set
          yield* keepOpenUntil(store, fixture, began.happened)
          isOpen = false
        })
      )
      const second = another.transact(
        Effect.gen(function* () {
          yield* callStore(another)
          overlap ||= isOpen
          yield* began.set
        })
      )
      yield* Effect.all([first, Effect.andThen(opened.await, second)], { concurrency: "unbounded" })
      assertEqual(overlap ? "many" : "one", fixture.writers ?? "one", "how many transactions run at the same time")
    }),

  "a transaction waits for a row that another one has locked, and finds it as that one left it": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const id = yield* givenPet(store, { name: "before" })
      for (const [one, other] of pairsOf(store, another)) {
        for (const [how, end] of Object.entries(ends)) {
          const expected = how === "commits" ? "after" : "before"
          const [, exit] = yield* overlapped(
            fixture,
            { store: one, part: renamePet(one, id, "after"), end },
            { store: other, part: lockedName(other, id) }
          )
          assertEqual(yield* exit, expected, `the name once the transaction that changes it ${how}`)
          yield* store.transact(renamePet(store, id, "before"))
        }
      }
    }),

  "a transaction waits for an order and for a category that another one has locked": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const order = yield* store.transact(addOrder(store, { state: "draft", quantity: 1 }))
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const raise = Effect.flatMap(one.orders.lock(order), (record) =>
          record === undefined
            ? Effect.die(new Error("The order is gone"))
            : one.orders.save({
                ...record,
                order: { state: "draft", quantity: 2 + index },
                version: record.version + 1
              })
        )
        const [, ordered] = yield* overlapped(
          fixture,
          { store: one, part: raise, end: Effect.void },
          { store: other, part: Effect.map(other.orders.lock(order), (record) => record?.order.quantity) }
        )
        assertEqual(yield* ordered, 2 + index, "the quantity of the locked order")
        const categoryId = yield* givenCategory(store, `Category ${index}`)
        const [, inUse] = yield* overlapped(
          fixture,
          {
            store: one,
            part: Effect.andThen(one.categories.lockShared(categoryId), addPet(one, categoryId)),
            end: Effect.void
          },
          {
            store: other,
            part: Effect.andThen(other.categories.lock(categoryId), other.select(petsBy, { categoryId, after: 0 }, 1))
          }
        )
        assertEqual((yield* inUse).length, 1, "whether a pet is in the category that was locked against deletion")
      }
    }),

  "a transaction that finds a row locked decides on it once it is committed, so that nothing is lost": (
    store,
    fixture
  ) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const id = yield* givenPet(store, { name: "x" })
      const append = (one: TestedStore, text: string) =>
        Effect.flatMap(lockedName(one, id), (name) => renamePet(one, id, `${name}${text}`))
      for (const [one, other] of pairsOf(store, another)) {
        yield* overlapped(
          fixture,
          { store: one, part: append(one, "a"), end: Effect.void },
          { store: other, part: append(other, "b") }
        )
      }
      assertEqual((yield* another.pets.find(id))?.name, "xabab")
    }),

  "an open transaction delays no reads, and they do not see its changes": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const id = yield* givenPet(store, { name: "before" })
      const [changed, seen] = [signal(), signal()]
      const writer = yield* Effect.forkChild(
        store.transact(
          Effect.gen(function* () {
            yield* callStore(store)
            yield* renamePet(store, id, "after")
            yield* changed.set
            return yield* keepOpenUntil(store, fixture, seen.happened)
          })
        )
      )
      yield* changed.await
      const names = [
        (yield* another.pets.find(id))?.name,
        (yield* another.pets.scan([], 1))[0]?.name,
        (yield* another.snapshot(another.pets.find(id)))?.name,
        (yield* store.pets.find(id))?.name
      ]
      yield* seen.set
      const wasOpen = yield* Fiber.join(writer)
      assertTrue(wasOpen || fixture.writers !== "many", "the reads end before the transaction does")
      if (wasOpen) assertEqual(new Set(names), new Set(["before"]), "the names that were read")
      else assertEqual(names, names.toSorted().toReversed(), "the names that were read one after the other")
    }),

  "a unique name of an open transaction is taken if that commits, and free if it is rolled back": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const renamed = yield* givenCategory(store, "Renamed")
      let n = 0
      for (const [one, other] of pairsOf(store, another)) {
        const takes: Readonly<Record<string, (at: TestedStore, name: string) => Part<unknown, unknown>>> = {
          category: (at, name) => at.categories.insert(newCategory(name)),
          "renamed category": (at, name) =>
            Effect.flatMap(at.categories.lock(renamed), (record) =>
              record === undefined
                ? Effect.die(new Error("The category is gone"))
                : at.categories.save({ ...record, nameKey: newCategory(name).nameKey })
            ),
          account: (at, name) => at.accounts.insert(newAccount(name))
        }
        for (const [what, take] of Object.entries(takes)) {
          for (const [how, end] of Object.entries(ends)) {
            const name = `Name ${++n}`
            const insert = what === "account" ? take : (takes.category ?? take)
            const [, exit] = yield* overlapped(
              fixture,
              { store: one, part: take(one, name), end },
              {
                store: other,
                part: Effect.gen(function* () {
                  const taken = outcome(yield* Effect.exit(insert(other, name)))
                  yield* insert(other, `${name} else`)
                  return taken
                })
              }
            )
            const expected = how === "commits" ? (what === "account" ? "AccountNameTaken" : "CategoryNameTaken") : "ok"
            assertEqual(yield* exit, expected, `taking the name of a ${what} whose transaction ${how}`)
          }
        }
      }
    }),

  "of many transactions on two stores that take one unique name, one succeeds": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      const kinds: Readonly<Record<string, (one: TestedStore) => Effect.Effect<unknown, unknown>>> = {
        CategoryNameTaken: (one) => one.transact(one.categories.insert(newCategory("Dogs"))),
        AccountNameTaken: (one) => one.transact(one.accounts.insert(newAccount("Shop")))
      }
      for (const [taken, take] of Object.entries(kinds)) {
        const exits = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : another)),
          (one) => Effect.exit(take(one)),
          { concurrency: "unbounded" }
        )
        assertEqual(exits.map(outcome).sort(), [...Array.from({ length: 19 }, () => taken), "ok"], "how they ended")
      }
    }),

  "an idempotency key whose transaction stays open longer than the wait is in progress, and is found after it": (
    store,
    fixture
  ) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      const categoryId = yield* givenCategory(store)
      for (const [index, [one, other]] of pairsOf(store, another).entries()) {
        const key = `key-${index}`
        const [locked, refused] = [signal(), signal()]
        const holder = yield* Effect.forkChild(
          one.transact(
            Effect.gen(function* () {
              yield* callStore(one)
              yield* one.idempotency.lock(keyOf(1, key))
              yield* locked.set
              const wasRefused = yield* keepOpenUntil(one, fixture, refused.happened)
              yield* one.idempotency.save(newStoredResult(key, { result: "done" }))
              return wasRefused
            })
          )
        )
        yield* locked.await
        const attempt = (name: string) =>
          other.transact(
            Effect.gen(function* () {
              const record = yield* other.idempotency.lock(keyOf(1, key))
              yield* addPet(other, categoryId, { name })
              return record?.result
            })
          )
        const before = performance.now()
        const exit = yield* Effect.exit(attempt(`${key} at once`))
        const waited = performance.now() - before
        yield* refused.set
        const wasRefused = yield* Fiber.join(holder)
        assertTrue(wasRefused || fixture.writers !== "many", "the second transaction ends first")
        if (wasRefused) {
          assertEqual(outcome(exit), "IdempotencyInProgress", "how a transaction with the key ends")
          const wait = Duration.toMillis(fixture.keyLockTimeout ?? "3 seconds")
          assertTrue(waited > 0.9 * wait, `it waits for the key for ${wait} ms, not ${waited}`)
        } else {
          assertEqual(yield* exit, "done", "the result that was found")
        }
        assertEqual(yield* attempt(`${key} later`), "done", "the result that is found later")
        const names = (yield* store.pets.scan([], 100)).map(({ name }) => name).filter((name) => name.startsWith(key))
        assertEqual(names, wasRefused ? [`${key} later`] : [`${key} at once`, `${key} later`], "what was stored")
      }
    }),

  "a key that an open transaction has locked delays no other key": (store, fixture) =>
    Effect.gen(function* () {
      const another = yield* fixture.openAnother(store)
      for (const [one, other] of pairsOf(store, another)) {
        const [locked, done] = [signal(), signal()]
        const holder = yield* Effect.forkChild(
          one.transact(
            Effect.gen(function* () {
              yield* callStore(one)
              yield* one.idempotency.lock(keyOf(1, "k"))
              yield* locked.set
              return yield* keepOpenUntil(one, fixture, done.happened)
            })
          )
        )
        yield* locked.await
        for (const [accountId, key] of [
          [2, "k"],
          [1, "K"]
        ] as const) {
          yield* other.transact(other.idempotency.lock(keyOf(accountId, key)))
        }
        yield* done.set
        assertTrue((yield* Fiber.join(holder)) || fixture.writers !== "many", "other keys are locked meanwhile")
      }
    })
})
