// With many writers, ids do not follow the order of calls, and a command may run twice: cases state what holds for every store.

import { petsBy } from "@petstore/core/tables"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual, assertTrue } from "../check.ts"
import { atOnce } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { outcome } from "./outcomes.ts"
import { callStore, heldOpen, keepOpenUntil, linger, overlapped, pairsOf, signal } from "./overlap.ts"
import { inTurn, refuse } from "./programs.ts"
import {
  addOrder,
  addPet,
  givenCategory,
  givenPet,
  keyOf,
  lockPet,
  newAccount,
  newCategory,
  newStoredResult,
  renamePet,
  reserveUnits
} from "./rows.ts"
import type { Part, TestedStore, TestedTransaction } from "./TestedStore.ts"

const commits = (): Part<void, string> => inTurn()

const ends = { commits, "is rolled back": refuse }

const lockedName = function* (tx: TestedTransaction, id: number) {
  return (yield* lockPet(tx, id)).name
}

export const overlapCases = storageCases("storage: overlapping transactions", {
  *"transactions of two stores overlap if the fixture says that there are many writers, and else never"(
    store,
    fixture
  ) {
    const another = yield* fixture.openAnother(store)
    const [opened, began] = [signal(), signal()]
    let overlap = false
    let isOpen = false
    const first = store.run(function* (tx) {
      yield* callStore(tx)
      isOpen = true
      opened.set()
      yield* keepOpenUntil(tx, fixture, began.happened)
      isOpen = false
    })
    const second = another.run(function* (tx) {
      yield* callStore(tx)
      overlap ||= isOpen
      began.set()
    })
    yield* Effect.all([first, Effect.andThen(opened.await, second)], { concurrency: "unbounded" })
    assertEqual(overlap ? "many" : "one", fixture.writers ?? "one", "how many transactions run at the same time")
  },

  *"a transaction waits for a row that another one has locked, and finds it as that one left it"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    const id = yield* givenPet(store, { name: "before" })
    for (const [one, other] of pairsOf(store, another)) {
      for (const [how, end] of Object.entries(ends)) {
        const expected = how === "commits" ? "after" : "before"
        const [, exit] = yield* overlapped(
          fixture,
          { store: one, part: (tx) => renamePet(tx, id, "after"), end },
          { store: other, part: (tx) => lockedName(tx, id) }
        )
        assertEqual(yield* exit, expected, `the name once the transaction that changes it ${how}`)
        yield* store.run((tx) => renamePet(tx, id, "before"))
      }
    }
  },

  *"a transaction waits for an order and for a category that another one has locked"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    const id = yield* store.run((tx) => addOrder(tx, { state: "draft", quantity: 1 }))
    for (const [index, [one, other]] of pairsOf(store, another).entries()) {
      const raise = function* (tx: TestedTransaction): Part<void> {
        const record = yield* tx.orders.lock(id)
        if (record === undefined) throw new Error("The order is gone")
        const order = { state: "draft", quantity: 2 + index } as const
        yield* tx.orders.save({ ...record, order, version: record.version + 1 })
      }
      const [, ordered] = yield* overlapped(
        fixture,
        { store: one, part: raise, end: commits },
        { store: other, part: (tx) => tx.orders.lock(id) }
      )
      assertEqual((yield* ordered)?.order.quantity, 2 + index, "the quantity of the locked order")
      const categoryId = yield* givenCategory(store, `Category ${index}`)
      const [, inUse] = yield* overlapped(
        fixture,
        {
          store: one,
          part: (tx) => inTurn(tx.categories.lockShared(categoryId), addPet(tx, categoryId)),
          end: commits
        },
        {
          store: other,
          part: function* (tx) {
            yield* tx.categories.lock(categoryId)
            return yield* tx.select(petsBy, { categoryId, after: 0 }, 1)
          }
        }
      )
      assertEqual((yield* inUse).length, 1, "whether a pet is in the category that was locked against deletion")
    }
  },

  *"an open transaction delays no reads, and they do not see its changes"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    const id = yield* givenPet(store, { name: "before" })
    const end = yield* heldOpen(fixture, store, (tx) => renamePet(tx, id, "after"))
    const names = [
      (yield* another.pets.find(id))?.name,
      (yield* another.pets.scan([], 1))[0]?.name,
      (yield* another.snapshot(another.pets.find(id)))?.name,
      (yield* store.pets.find(id))?.name
    ]
    const wasOpen = yield* end
    assertTrue(wasOpen || fixture.writers !== "many", "the reads end before the transaction does")
    if (wasOpen) assertEqual(new Set(names), new Set(["before"]), "the names that were read")
    else assertEqual(names, names.toSorted().toReversed(), "the names that were read one after the other")
  },

  *"of many transactions on two stores that take one unique name, one succeeds"(store, { openAnother }) {
    const another = yield* openAnother(store)
    const kinds: Readonly<Record<string, (one: TestedStore) => Effect.Effect<unknown, unknown>>> = {
      CategoryNameTaken: (one) => one.run((tx) => tx.categories.insert(newCategory("Dogs"))),
      AccountNameTaken: (one) => one.run((tx) => tx.accounts.insert(newAccount("Shop")))
    }
    for (const [taken, take] of Object.entries(kinds)) {
      const exits = yield* atOnce(20, (index) => Effect.exit(take(index % 2 === 0 ? store : another)))
      assertEqual(exits.map(outcome).sort(), [...Array.from({ length: 19 }, () => taken), "ok"], "how they ended")
    }
  },

  *"an idempotency key whose transaction stays open longer than the wait is in progress, and is found after it"(
    store,
    fixture
  ) {
    const another = yield* fixture.openAnother(store)
    const categoryId = yield* givenCategory(store)
    for (const [index, [one, other]] of pairsOf(store, another).entries()) {
      const key = `key-${index}`
      const end = yield* heldOpen(
        fixture,
        one,
        (tx) => tx.idempotency.lock(keyOf(1, key)),
        (tx) => tx.idempotency.save(newStoredResult(key, { result: "done" }))
      )
      const useKey = (name: string) =>
        other.run(function* (tx) {
          const record = yield* tx.idempotency.lock(keyOf(1, key))
          yield* addPet(tx, categoryId, { name })
          return record?.result
        })
      const before = performance.now()
      const exit = yield* Effect.exit(useKey(`${key} at once`))
      const waited = performance.now() - before
      const wasRefused = yield* end
      assertTrue(wasRefused || fixture.writers !== "many", "the second transaction ends first")
      if (wasRefused) {
        assertEqual(outcome(exit), "IdempotencyInProgress", "how a transaction with the key ends")
        const wait = Duration.toMillis(fixture.keyLockTimeout ?? "3 seconds")
        assertTrue(waited > 0.9 * wait, `it waits for the key for ${wait} ms, not ${waited}`)
      } else {
        assertEqual(yield* exit, "done", "the result that was found")
      }
      assertEqual(yield* useKey(`${key} later`), "done", "the result that is found later")
      const names = (yield* store.pets.scan([], 100)).map(({ name }) => name).filter((name) => name.startsWith(key))
      assertEqual(names, wasRefused ? [`${key} later`] : [`${key} at once`, `${key} later`], "what was stored")
    }
  },

  *"a key that an open transaction has locked delays no other key"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    for (const [one, other] of pairsOf(store, another)) {
      const end = yield* heldOpen(fixture, one, (tx) => tx.idempotency.lock(keyOf(1, "k")))
      for (const [accountId, key] of [
        [2, "k"],
        [1, "K"]
      ] as const) {
        yield* other.run((tx) => tx.idempotency.lock(keyOf(accountId, key)))
      }
      assertTrue((yield* end) || fixture.writers !== "many", "other keys are locked meanwhile")
    }
  },

  // Nothing but its locks is asked of the second transaction of these cases, so that a store may let it share its commit.

  *"a category that another transaction deletes is gone for one that shares it to add a pet"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    for (const [index, [one, other]] of pairsOf(store, another).entries()) {
      const id = yield* givenCategory(store, `Category ${index}`)
      const remove = function* (tx: TestedTransaction): Part<void> {
        const record = yield* tx.categories.lock(id)
        if (record === undefined) throw new Error("The category is gone")
        yield* tx.categories.save({ ...record, version: record.version + 1, deleted: true })
      }
      const add = function* (tx: TestedTransaction): Part<string> {
        if ((yield* tx.categories.lockShared(id)) === undefined) return "gone"
        yield* addPet(tx, id)
        return "added"
      }
      const [, exit] = yield* overlapped(
        fixture,
        { store: one, part: remove, end: commits },
        { store: other, part: add }
      )
      assertEqual(yield* exit, "gone", "what becomes of a pet for the category")
    }
  },

  *"a transaction that locks an order and then its pet waits for the pet, and finds it as another one left it"(
    store,
    fixture
  ) {
    const another = yield* fixture.openAnother(store)
    const petId = yield* givenPet(store, { name: "before" })
    const orderId = yield* store.run((tx) => reserveUnits(tx, petId))
    for (const [index, [one, other]] of pairsOf(store, another).entries()) {
      const [, exit] = yield* overlapped(
        fixture,
        { store: one, part: (tx) => renamePet(tx, petId, `after ${index}`), end: commits },
        {
          store: other,
          part: function* (tx) {
            const order = yield* tx.orders.lock(orderId)
            return (yield* tx.pets.lock(order?.order.petId ?? 0))?.name
          }
        }
      )
      assertEqual(yield* exit, `after ${index}`, "the name of the pet")
    }
  },

  *"of many keys that are locked at once, one that another transaction has is found with its result"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    for (const [index, [one, other]] of pairsOf(store, another).entries()) {
      const keys = Array.from({ length: 6 }, (_, n) => `key-${index}-${n}`)
      const taken = keys[3] ?? ""
      const [locked, asked] = [signal(), signal()]
      const holder = yield* Effect.forkChild(
        one.run(function* (tx) {
          yield* callStore(tx)
          yield* tx.idempotency.lock(keyOf(1, taken))
          locked.set()
          yield* keepOpenUntil(tx, fixture, asked.happened)
          yield* linger(tx)
          yield* tx.idempotency.save(newStoredResult(taken, { result: "done" }))
        })
      )
      yield* locked.await
      const results = yield* Effect.forEach(
        keys,
        (key) =>
          other.run(function* (tx) {
            asked.set()
            const record = yield* tx.idempotency.lock(keyOf(1, key))
            if (record === undefined) yield* tx.idempotency.save(newStoredResult(key, { result: "new" }))
            return record?.result
          }),
        { concurrency: "unbounded" }
      )
      yield* Fiber.join(holder)
      assertEqual(
        results,
        keys.map((key) => (key === taken ? "done" : undefined)),
        "the results that are found"
      )
    }
  }
})
