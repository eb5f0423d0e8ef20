import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { isDuplicate, outcome } from "./outcomes.ts"
import { at, newAccount } from "./rows.ts"

export const accountCases = storageCases("storage: accounts", {
  "an account is found by its id and by its name as it was added": (store) =>
    Effect.gen(function* () {
      const id = yield* store.transact(store.accounts.insert(newAccount("Shop Ä")))
      const expected = { id, name: "Shop Ä", createdAt: at(1) }
      assertEqual(yield* store.accounts.find(id), expected)
      assertEqual(yield* store.accounts.findByName("shop ä"), expected)
      assertEqual(yield* store.accounts.find(id + 1), undefined)
      assertEqual(yield* store.accounts.findByName("Shop Ä"), undefined)
    }),

  "a second account of the same name is a duplicate, and the transaction goes on": (store) =>
    Effect.gen(function* () {
      yield* store.transact(store.accounts.insert(newAccount("Shop")))
      const [refused] = yield* store.transact(
        Effect.all([Effect.exit(store.accounts.insert(newAccount("SHOP"))), store.accounts.insert(newAccount("Depot"))])
      )
      isDuplicate(refused, "shop")
      assertEqual(
        (yield* store.accounts.list(0, 10)).map(({ name }) => name),
        ["Shop", "Depot"]
      )
    }),

  "of many accounts with one name that are added concurrently, one is created": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      const exits = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : another)),
        (one) => Effect.exit(one.transact(one.accounts.insert(newAccount("Shop")))),
        { concurrency: "unbounded" }
      )
      assertEqual(exits.map(outcome).sort(), [...Array<string>(19).fill("Duplicate"), "ok"])
      assertEqual((yield* store.accounts.list(0, 100)).length, 1)
    }),

  "accounts are listed in ascending id, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const ids = yield* store.transact(
        Effect.forEach(["Zoo", "Ark", "Den", "Pen"], (name) => store.accounts.insert(newAccount(name)))
      )
      const list = (after: number, limit: number) =>
        Effect.map(store.accounts.list(after, limit), (accounts) => accounts.map(({ id }) => id))
      assertEqual(yield* list(0, 10), ids)
      assertEqual(yield* list(ids[0] ?? 0, 2), ids.slice(1, 3))
      assertEqual(yield* list(ids[3] ?? 0, 2), [])
    })
})
