import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assertEqual } from "../check.ts"
import { addOneOfEach, allRows, givenOneOfEach } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { newApiKey } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const page = { limit: 10 }

/** How many rows each list and scan has behind a position. */
const countsBehind = (store: Store, after: number) =>
  Effect.map(
    Effect.all({
      categories: store.categories.list(after, 10),
      everyCategory: store.categories.scan(after, 10),
      pets: store.pets.list({ ...page, after }),
      petsOfStatus: store.pets.list({ ...page, after, status: "available" }),
      everyPet: store.pets.scan(after, 10),
      orders: store.orders.list({ ...page, after }),
      everyOrder: store.orders.scan(after, 10),
      movementsOfPet: store.movements.list(1, after, 10),
      movements: store.movements.scan({ petId: after, seq: Number.POSITIVE_INFINITY }, 10),
      events: store.events.scan(after, 10),
      accounts: store.accounts.list(after, 10),
      apiKeys: store.apiKeys.list(after, 10),
      everyApiKey: store.apiKeys.scan(after, 10),
      idempotency: store.idempotency.scan({ accountId: after, key: "" }, 10)
    }),
    (found) => Object.fromEntries(Object.entries(found).map(([kind, rows]) => [kind, rows.length]))
  )

export const wholeStoreCases = storageCases("storage: reading a whole store", {
  "lists and scans start before every id, and end after every id": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const below = yield* countsBehind(store, Number.NEGATIVE_INFINITY)
      const above = yield* countsBehind(store, Number.POSITIVE_INFINITY)
      for (const kind of Object.keys(below)) assertEqual([kind, below[kind], above[kind]], [kind, 1, 0])
    }),

  "a scan of movements can continue after all movements of a pet": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      yield* store.transact(addOneOfEach(store, 2))
      const behind = yield* store.movements.scan({ petId: 1, seq: Number.POSITIVE_INFINITY }, 10)
      assertEqual(
        behind.map(({ petId, seq }) => [petId, seq]),
        [[2, 1]]
      )
    }),

  "a scan of API keys includes revoked ones, in ascending id": (store) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const ids = yield* store.transact(
        Effect.gen(function* () {
          const second = yield* store.apiKeys.insert(newApiKey(1))
          const third = yield* store.apiKeys.insert(newApiKey(1))
          const record = yield* store.apiKeys.lock(second)
          if (record === undefined) return yield* Effect.die(new Error("The key is gone"))
          yield* store.apiKeys.save({ ...record, revoked: true })
          return [second, third]
        })
      )
      const keys = yield* store.apiKeys.scan(1, 10)
      assertEqual(
        keys.map(({ key, revoked }) => [key.id, revoked]),
        ids.map((id, index) => [id, index === 0])
      )
      assertEqual((yield* store.apiKeys.scan(1, 1)).length, 1)
    }),

  "a long snapshot, and the inspection in it, show one moment while others commit": (store, { openAnother }) =>
    Effect.gen(function* () {
      yield* givenOneOfEach(store)
      const another = yield* openAnother(store)
      const gate = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(gate),
          Effect.all([store.transact(addOneOfEach(store, 2)), another.transact(addOneOfEach(another, 3))])
        ),
        { startImmediately: true }
      )
      const detached = store.detachedSnapshot ?? store.snapshot
      yield* detached(
        Effect.gen(function* () {
          const first = yield* allRows(store)
          yield* Deferred.succeed(gate, undefined)
          for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
          assertEqual(yield* allRows(store), first, "what the snapshot reads later")
          assertEqual(yield* store.inspect, [])
        })
      )
      yield* Fiber.join(writer)
      assertEqual((yield* detached(allRows(store))).pets.length, 3)
      assertEqual(yield* Effect.flip(detached(Effect.andThen(store.pets.find(1), Effect.fail("no")))), "no")
    }),

  "temporary space, if available, keeps its lists separate and in order, and is empty each time": (store) =>
    Effect.gen(function* () {
      const { temporaryLists } = store
      if (temporaryLists === undefined) return
      const use = Effect.scoped(
        Effect.gen(function* () {
          const { append, read } = yield* temporaryLists
          assertEqual(yield* read("a", 0), undefined)
          for (const text of ["one", "", "three 🐶"]) yield* append("a", text)
          yield* append("b", "x".repeat(100_000))
          assertEqual(yield* Effect.all([0, 1, 2, 3].map((place) => read("a", place))), [
            "one",
            "",
            "three 🐶",
            undefined
          ])
          assertEqual((yield* read("b", 0))?.length, 100_000)
        })
      )
      yield* use
      yield* use
    })
})
