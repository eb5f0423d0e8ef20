import { Transaction } from "@petstore/core/ports"
import { claimableMessages } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { allRows } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { diedClearly } from "./outcomes.ts"
import { addPet, givenCategory, givenPet, keyOf, newCategory } from "./rows.ts"
import type { TestedStore } from "./TestedStore.ts"

/** The handle of a transaction that has ended, as one that a body let out. */
const leak = (store: TestedStore) => store.transact(Effect.service(Transaction))

/** Invalid uses of a transaction that has ended or belongs to another store. */
const uses = (
  store: TestedStore,
  id: number
): Readonly<Record<string, Effect.Effect<unknown, unknown, Transaction>>> => ({
  adding: store.categories.insert(newCategory("Stray")),
  locking: store.pets.lock(id),
  appending: store.movements.insert({
    petId: id,
    seq: 2,
    kind: "set",
    deltaOnHand: 0,
    deltaReserved: 0,
    actor: "owner",
    at: "2026-01-01T00:00:00.000Z"
  }),
  reading: store.pets.find(id),
  listing: store.pets.scan([], 10),
  "a snapshot": store.snapshot(store.pets.find(id)),
  "a transaction inside": store.transact(store.categories.insert(newCategory("Stray")))
})

/** The operations that lock. Without a transaction to hold the lock, what they return could change at once. */
const locks = (store: TestedStore, id: number): ReadonlyArray<Effect.Effect<unknown, unknown, Transaction>> => [
  store.pets.lock(id),
  store.orders.lock(id),
  store.categories.lock(id),
  store.categories.lockShared(id),
  store.apiKeys.lock(id),
  store.claim(claimableMessages, "2026-01-01T00:00:00.000Z", 1),
  store.idempotency.lock(keyOf(1, "key")),
  store.consumers.lock("invoices"),
  store.webhooks.lock(id)
]

export const misuseCases = storageCases("storage: misused transactions", {
  "every operation rejects a transaction that was used outside its body": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const handle = yield* leak(store)
      const before = yield* allRows(store)
      for (const [what, use] of Object.entries(uses(store, id))) {
        const exit = yield* Effect.exit(Effect.provideService(use, Transaction, handle))
        diedClearly(exit, /transaction/i)
        assertEqual(yield* allRows(store), before, `everything after ${what} with an ended transaction`)
      }
    }),

  "a transaction that was used outside its body is rejected while another one runs, and that one can continue": (
    store
  ) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const handle = yield* leak(store)
      yield* store.transact(
        Effect.gen(function* () {
          yield* store.categories.insert(newCategory("Cats"))
          for (const use of Object.values(uses(store, id))) {
            diedClearly(yield* Effect.exit(Effect.provideService(use, Transaction, handle)), /transaction/i)
          }
        })
      )
      assertEqual(
        (yield* store.categories.scan([], 10)).map(({ nameKey }) => nameKey),
        ["dogs", "cats"]
      )
    }),

  "the transaction of a failed body is rejected": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const handle = yield* Effect.flip(store.transact(Effect.flatMap(Effect.service(Transaction), Effect.fail)))
      if (!("store" in handle)) return yield* Effect.fail(handle)
      for (const use of Object.values(uses(store, id))) {
        diedClearly(yield* Effect.exit(Effect.provideService(use, Transaction, handle)), /transaction/i)
      }
    }),

  "a fiber that outlives its body cannot write": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const gate = yield* Deferred.make<void>()
      const fiber = yield* store.transact(
        Effect.forkDetach(Effect.andThen(Deferred.await(gate), addPet(store, categoryId)), { startImmediately: true })
      )
      yield* Deferred.succeed(gate, undefined)
      diedClearly(yield* Fiber.await(fiber), /transaction/i)
      assertEqual(yield* store.pets.scan([], 10), [])
    }),

  "a fiber that outlives its body cannot write into the next transaction": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const gate = yield* Deferred.make<void>()
      const fiber = yield* store.transact(
        Effect.forkDetach(Effect.andThen(Deferred.await(gate), addPet(store, categoryId, { name: "stray" })), {
          startImmediately: true
        })
      )
      yield* store.transact(
        Effect.gen(function* () {
          yield* addPet(store, categoryId, { name: "Rex" })
          yield* Deferred.succeed(gate, undefined)
          yield* Effect.yieldNow
          yield* addPet(store, categoryId, { name: "Max" })
        })
      )
      diedClearly(yield* Fiber.await(fiber), /transaction/i)
      assertEqual(
        (yield* store.pets.scan([], 10)).map(({ name }) => name),
        ["Rex", "Max"]
      )
    }),

  "an uninterruptible body that waited and was stopped cannot write": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const gate = yield* Deferred.make<void>()
      const late = yield* Deferred.make<unknown>()
      const body = Effect.gen(function* () {
        yield* Deferred.await(gate)
        yield* Deferred.succeed(late, yield* Effect.exit(addPet(store, categoryId)))
      })
      diedClearly(yield* Effect.exit(store.transact(Effect.uninterruptible(body))), /wait/)
      yield* Deferred.succeed(gate, undefined)
      yield* Deferred.await(late)
      assertEqual(yield* store.pets.scan([], 10), [])
    }),

  "a write or a lock without any transaction dies": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const before = yield* allRows(store)
      // What the types forbid, JavaScript may do.
      const none = Context.empty() as Context.Context<Transaction>
      for (const use of [store.categories.insert(newCategory("Stray")), ...locks(store, id)]) {
        diedClearly(yield* Effect.exit(Effect.provideContext(use, none)), /transaction/i)
      }
      assertEqual(yield* allRows(store), before)
    }),

  "a body that uses a store of another database dies, and changes neither database": (store, { open }) =>
    Effect.gen(function* () {
      const other = yield* open
      const id = yield* givenPet(store)
      yield* givenPet(other)
      const before = [yield* allRows(store), yield* allRows(other)]
      for (const [what, use] of Object.entries(uses(other, id))) {
        const body = Effect.andThen(store.categories.insert(newCategory("Lost")), use)
        diedClearly(yield* Effect.exit(store.transact(body)), /store|transaction/i)
        assertEqual([yield* allRows(store), yield* allRows(other)], before, `everything after ${what} on another store`)
      }
    }),

  "a body that uses another store of the same database dies, and changes nothing": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      const id = yield* givenPet(store)
      const before = yield* allRows(store)
      for (const [what, use] of Object.entries(uses(another, id))) {
        const body = Effect.andThen(store.categories.insert(newCategory("Lost")), use)
        diedClearly(yield* Effect.exit(store.transact(body)), /store|transaction/i)
        assertEqual(yield* allRows(store), before, `everything after ${what} on another store`)
      }
      yield* another.transact(another.categories.insert(newCategory("Cats")))
      yield* store.transact(store.categories.insert(newCategory("Birds")))
      assertEqual((yield* store.categories.scan([], 10)).length, 3)
    })
})
