import type { IdempotencyRecord } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, at, digest, givenCategory, newStoredResult } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const given = (store: Store, ...records: ReadonlyArray<IdempotencyRecord>) =>
  store.transact(
    Effect.forEach(
      records,
      (record) => Effect.andThen(store.idempotency.lock(record.accountId, record.key), store.idempotency.save(record)),
      { discard: true }
    )
  )

const find = (store: Store, key: string, accountId = 1) => store.transact(store.idempotency.lock(accountId, key))

const keys = (store: Store) =>
  Effect.map(store.idempotency.scan({ accountId: 0, key: "" }, 1000), (records) => records.map(({ key }) => key))

export const idempotencyCases = storageCases("storage: idempotency records", {
  "a key has no record before it is used, and then the one that was saved": (store) =>
    Effect.gen(function* () {
      assertEqual(yield* find(store, "k"), undefined)
      const record = newStoredResult("k", { result: '{"name":"Rex 🐶","quote":"\\""}', fingerprint: digest(250) })
      yield* given(store, record)
      assertEqual(yield* find(store, "k"), record)
    }),

  "keys are separate for each account, and case-sensitive": (store) =>
    Effect.gen(function* () {
      yield* given(
        store,
        newStoredResult("k", { result: "1" }),
        newStoredResult("k", { accountId: 2, result: "2" }),
        newStoredResult("K")
      )
      assertEqual((yield* find(store, "k", 1))?.result, "1")
      assertEqual((yield* find(store, "k", 2))?.result, "2")
      assertEqual(yield* find(store, "k", 3), undefined)
      assertEqual(yield* find(store, "K", 2), undefined)
    }),

  "a record replaces an expired one": (store) =>
    Effect.gen(function* () {
      yield* given(store, newStoredResult("k", { result: "1", createdAt: at(1) }))
      const renewed = newStoredResult("k", {
        result: "2",
        createdAt: at(9),
        fingerprint: digest(9),
        operation: "orders.place"
      })
      yield* given(store, renewed)
      assertEqual(yield* find(store, "k"), renewed)
      assertEqual(yield* keys(store), ["k"])
    }),

  "a record is committed together with the transaction of its command": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const attempt = <E>(end: Effect.Effect<void, E>) =>
        Effect.exit(
          store.transact(
            Effect.gen(function* () {
              yield* store.idempotency.lock(1, "k")
              yield* addPet(store, categoryId)
              yield* store.idempotency.save(newStoredResult("k"))
              yield* end
            })
          )
        )
      yield* attempt(Effect.fail("no"))
      assertEqual(yield* find(store, "k"), undefined)
      assertEqual(yield* store.pets.scan(0, 10), [])
      yield* attempt(Effect.void)
      assertEqual(yield* find(store, "k"), newStoredResult("k"))
      assertEqual((yield* store.pets.scan(0, 10)).length, 1)
    }),

  "of many identical requests at once, on two stores, one runs the command and all others find its record": (
    store,
    { openAnother }
  ) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const another = yield* openAnother(store)
      const once = (one: Store) =>
        one.transact(
          Effect.gen(function* () {
            const record = yield* one.idempotency.lock(1, "k")
            if (record !== undefined) return record.result
            const id = yield* addPet(one, categoryId)
            yield* one.idempotency.save(newStoredResult("k", { result: `${id}` }))
            return `${id}`
          })
        )
      const results = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? store : another)),
        once,
        { concurrency: "unbounded" }
      )
      const pets = yield* store.pets.scan(0, 10)
      assertEqual(new Set(results), new Set(pets.map(({ id }) => `${id}`)))
      assertEqual(pets.length, 1)
    }),

  "a purge removes records from before a time, up to the limit": (store) =>
    Effect.gen(function* () {
      const seconds = [5, 1, 4, 2, 3, 6]
      yield* given(store, ...seconds.map((second) => newStoredResult(`k${second}`, { createdAt: at(second) })))
      const left = () => Effect.map(keys(store), (all) => all.length)
      yield* store.transact(store.idempotency.purge(at(1), 10))
      assertEqual(yield* left(), 6)
      yield* store.transact(store.idempotency.purge(at(5), 3))
      assertEqual(yield* left(), 3)
      assertEqual(
        (yield* keys(store)).filter((key) => ["k5", "k6"].includes(key)),
        ["k5", "k6"]
      )
      yield* store.transact(store.idempotency.purge(at(5), 10))
      assertEqual(yield* keys(store), ["k5", "k6"])
      assertEqual(yield* find(store, "k1"), undefined)
    }),

  "a purge that is rolled back removes nothing": (store) =>
    Effect.gen(function* () {
      yield* given(store, newStoredResult("k"))
      yield* Effect.exit(store.transact(Effect.andThen(store.idempotency.purge(at(9), 10), Effect.fail("no"))))
      assertEqual(yield* find(store, "k"), newStoredResult("k"))
    }),

  "a scan returns every record by account and key, and can continue after any pair": (store) =>
    Effect.gen(function* () {
      const pairs = [
        [1, "B"],
        [1, "a"],
        [1, "a!"],
        [1, "~"],
        [2, "A"],
        [10, "0"]
      ] as const
      yield* given(store, ...[...pairs].reverse().map(([accountId, key]) => newStoredResult(key, { accountId })))
      const scan = (accountId: number, key: string, limit: number) =>
        Effect.map(store.idempotency.scan({ accountId, key }, limit), (records) =>
          records.map((record) => [record.accountId, record.key])
        )
      assertEqual(yield* scan(0, "", 10), pairs)
      assertEqual(yield* scan(1, "a", 2), pairs.slice(2, 4))
      assertEqual(yield* scan(1, "b", 2), pairs.slice(3, 5))
      assertEqual(yield* scan(2, "A", 2), pairs.slice(5))
      assertEqual(yield* scan(10, "0", 2), [])
    })
})
