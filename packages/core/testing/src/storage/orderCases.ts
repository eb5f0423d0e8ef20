import { limits, type OrderContent } from "@petstore/core/domain"
import type { OrderQuery } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addOrder, addPet, at, givenPet } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const draft: OrderContent = { state: "draft" }
const open = (petId: number): OrderContent => ({ state: "open", petId, quantity: 1 })
const complete = (petId: number): OrderContent => ({ state: "complete", petId, quantity: 1, shipDate: at(5) })
const cancelled = (petId: number): OrderContent => ({ state: "cancelled", petId, quantity: 1 })

const given = (store: Store, order: OrderContent) => store.transact(addOrder(store, order))

const ids = (store: Store, query: Partial<OrderQuery>) =>
  Effect.map(store.orders.list({ after: 0, limit: 100, ...query }), (orders) => orders.map(({ id }) => id))

export const orderCases = storageCases("storage: orders", {
  "an order is found as it was added, with only the fields it has, with and without a lock": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const contents: ReadonlyArray<OrderContent> = [
        draft,
        { state: "draft", quantity: 3, shipDate: at(9) },
        open(petId),
        { ...open(petId), quantity: limits.orderQuantity, shipDate: at(9) },
        complete(petId)
      ]
      for (const order of contents) {
        const id = yield* given(store, order)
        assertEqual(yield* store.orders.find(id), { id, order, version: 1 })
        assertEqual(yield* store.transact(store.orders.lock(id)), { id, order, version: 1 })
      }
    }),

  "an order that does not exist is not found, with and without a lock": (store) =>
    Effect.gen(function* () {
      const id = yield* given(store, draft)
      assertEqual(yield* store.orders.find(id + 1), undefined)
      assertEqual(yield* store.transact(store.orders.lock(id + 1)), undefined)
    }),

  "saving an order replaces every part of its row and leaves the others": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const id = yield* given(store, { state: "draft", shipDate: at(9) })
      const other = yield* given(store, open(petId))
      yield* store.transact(store.orders.save({ id, order: open(petId), version: 2 }))
      assertEqual(yield* store.orders.find(id), { id, order: open(petId), version: 2 })
      assertEqual(yield* store.orders.find(other), { id: other, order: open(petId), version: 1 })
      yield* store.transact(store.orders.save({ id, order: complete(petId), version: 3 }))
      assertEqual(yield* store.orders.find(id), { id, order: complete(petId), version: 3 })
    }),

  "a cancelled order is not found or listed, stays in the scan, and its id is never reused": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const id = yield* given(store, open(petId))
      const tombstone = { id, order: cancelled(petId), version: 2 }
      yield* store.transact(store.orders.save(tombstone))
      assertEqual(yield* store.orders.find(id), undefined)
      assertEqual(yield* store.transact(store.orders.lock(id)), undefined)
      for (const query of [{}, { petId }, { complete: false }, { petId, complete: false }]) {
        assertEqual(yield* ids(store, query), [], `the list for ${JSON.stringify(query)}`)
      }
      assertEqual(yield* store.orders.scan(0, 10), [tombstone])
      const next = yield* given(store, draft)
      assertTrue(next !== id, `${next} is not an id that was used before`)
    }),

  "orders are listed by pet, by completion, and by both, in ascending id": (store) =>
    Effect.gen(function* () {
      const rex = yield* givenPet(store)
      const max = yield* store.transact(addPet(store, 1, { name: "Max" }))
      const contents = [draft, open(rex), complete(rex), open(max), complete(max), cancelled(rex), open(rex), draft]
      const all = yield* store.transact(Effect.forEach(contents, (order) => addOrder(store, order)))
      const at = (...places: ReadonlyArray<number>) => all.filter((_, place) => places.includes(place))
      assertEqual(yield* ids(store, {}), at(0, 1, 2, 3, 4, 6, 7))
      assertEqual(yield* ids(store, { petId: rex }), at(1, 2, 6))
      assertEqual(yield* ids(store, { petId: 999 }), [])
      assertEqual(yield* ids(store, { complete: true }), at(2, 4))
      assertEqual(yield* ids(store, { complete: false }), at(0, 1, 3, 6, 7))
      assertEqual(yield* ids(store, { petId: rex, complete: false }), at(1, 6))
      assertEqual(yield* ids(store, { petId: max, complete: true }), at(4))
      assertEqual(yield* ids(store, { limit: 2 }), at(0, 1))
      assertEqual(yield* ids(store, { petId: rex, after: all[1] ?? 0, limit: 1 }), at(2))
      assertEqual(yield* ids(store, { complete: false, after: all[3] ?? 0 }), at(6, 7))
      assertEqual(yield* ids(store, { after: limits.id }), [])
    }),

  "an order moves between filtered lists as it changes": (store) =>
    Effect.gen(function* () {
      const rex = yield* givenPet(store)
      const max = yield* store.transact(addPet(store, 1, { name: "Max" }))
      const id = yield* given(store, draft)
      const places = Effect.all([
        ids(store, { petId: rex, complete: false }),
        ids(store, { petId: max, complete: false }),
        ids(store, { petId: max, complete: true }),
        ids(store, { complete: false })
      ])
      const after = (order: OrderContent) =>
        Effect.andThen(store.transact(store.orders.save({ id, order, version: 2 })), places)
      assertEqual(yield* places, [[], [], [], [id]])
      assertEqual(yield* after(open(rex)), [[id], [], [], [id]])
      assertEqual(yield* after(open(max)), [[], [id], [], [id]])
      assertEqual(yield* after(complete(max)), [[], [], [id], []])
    }),

  "an order belongs to its owner, whatever becomes of it, and the orders of an owner are listed as all are": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const add = (order: OrderContent, owner?: string) =>
        store.transact(store.orders.insert({ order, version: 1, ...(owner === undefined ? {} : { owner }) }))
      const nobodys = yield* add(open(petId))
      const first = yield* add(draft, "7 ada")
      const others = [yield* add(open(petId), "7"), yield* add(open(petId), "7 Ada"), yield* add(open(petId), "70")]
      const second = yield* add(open(petId), "7 ada")
      const third = yield* add(complete(petId), "7 ada")
      const fourth = yield* add(draft, "7 ada")
      assertEqual(yield* store.orders.find(first), { id: first, order: draft, version: 1, owner: "7 ada" })
      assertEqual(yield* store.orders.find(nobodys), { id: nobodys, order: open(petId), version: 1 })
      const ada = { owner: "7 ada" }
      assertEqual(yield* ids(store, ada), [first, second, third, fourth])
      assertEqual(yield* ids(store, { ...ada, petId }), [second, third])
      assertEqual(yield* ids(store, { ...ada, complete: false }), [first, second, fourth])
      assertEqual(yield* ids(store, { ...ada, petId, complete: true }), [third])
      assertEqual(yield* ids(store, { ...ada, after: first, limit: 2 }), [second, third])
      assertEqual(yield* ids(store, { owner: "7" }), others.slice(0, 1))
      assertEqual(yield* ids(store, { owner: "8" }), [])
      const record = yield* store.transact(
        Effect.gen(function* () {
          const locked = yield* store.orders.lock(first)
          if (locked !== undefined) yield* store.orders.save({ ...locked, order: open(petId), version: 2 })
          return yield* store.orders.lock(second)
        })
      )
      assertEqual(record, { id: second, order: open(petId), version: 1, owner: "7 ada" })
      const ended = { id: second, order: cancelled(petId), version: 2, owner: "7 ada" }
      yield* store.transact(store.orders.save(ended))
      assertEqual(yield* ids(store, ada), [first, third, fourth])
      assertEqual(yield* ids(store, { ...ada, petId, complete: false }), [first])
      assertEqual(yield* store.orders.scan(second - 1, 1), [ended])
      const owners = yield* store.orders.owners([second, nobodys, third, fourth + 1, second, ...others])
      assertEqual(
        [...owners].sort((a, b) => a.id - b.id),
        [
          { id: others[0], owner: "7" },
          { id: others[1], owner: "7 Ada" },
          { id: others[2], owner: "70" },
          { id: second, owner: "7 ada" },
          { id: third, owner: "7 ada" }
        ]
      )
      assertEqual(yield* store.orders.owners([]), [])
    }),

  "a scan returns every order in ascending id, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const petId = yield* givenPet(store)
      const contents = [draft, cancelled(petId), open(petId), complete(petId)]
      const all = yield* store.transact(Effect.forEach(contents, (order) => addOrder(store, order)))
      const scan = (after: number, limit: number) =>
        Effect.map(store.orders.scan(after, limit), (orders) => orders.map(({ id }) => id))
      assertEqual(yield* scan(0, 10), all)
      assertEqual(yield* scan(all[0] ?? 0, 2), all.slice(1, 3))
      assertEqual(yield* scan(all[3] ?? 0, 2), [])
    })
})
