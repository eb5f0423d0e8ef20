import { limits } from "@petstore/core/domain"
import type { PetRecord } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, at, givenCategory, givenPet, newMovement, newPet } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const bury = (store: Store, id: number) =>
  store.transact(
    Effect.gen(function* () {
      const pet = yield* store.pets.lock(id)
      if (pet === undefined) return yield* Effect.die(new Error(`Pet ${id} is gone`))
      const removed = { ...newMovement(id, pet.lastMovement + 1, "removed"), deltaOnHand: -pet.stock.onHand }
      yield* store.movements.append(removed)
      const tombstone: PetRecord = {
        ...pet,
        stock: { onHand: 0, reserved: 0, held: false },
        lastMovement: pet.lastMovement + 1,
        deleted: true
      }
      yield* store.pets.save(tombstone)
      return tombstone
    })
  )

const findShown = ({ pets }: Store, id: number) => pets.findShown?.(id) ?? Effect.succeed(undefined)

export const petCases = storageCases("storage: pets", {
  "a pet is found as it was added, with and without a lock": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const added = newPet(categoryId, {
        name: "Rex",
        version: 3,
        stock: { onHand: 7, reserved: 2, held: true },
        stockVersion: 5
      })
      const id = yield* store.transact(addPet(store, categoryId, added))
      assertEqual(yield* store.pets.find(id), { id, ...added })
      assertEqual(yield* store.transact(store.pets.lock(id)), { id, ...added })
    }),

  "a pet that does not exist is not found, with and without a lock": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      assertEqual(yield* store.pets.find(id + 1), undefined)
      assertEqual(yield* store.pets.find(limits.id), undefined)
      assertEqual(yield* findShown(store, id + 1), undefined)
      assertEqual(yield* store.transact(store.pets.lock(id + 1)), undefined)
    }),

  "ids are positive integers in ascending order": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      let last = 0
      for (const _ of [1, 2, 3, 4, 5]) {
        const id = yield* store.transact(addPet(store, categoryId))
        assertTrue(Number.isSafeInteger(id) && id > last, `${id} is a whole number above ${last}`)
        last = id
      }
    }),

  "saving a pet replaces every part of its row and leaves the others": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const other = yield* store.transact(addPet(store, 1, { name: "Bella" }))
      const before = yield* store.pets.find(other)
      const categoryId = yield* givenCategory(store, "Cats")
      const after: PetRecord = {
        id,
        name: "Max",
        categoryId,
        version: 2,
        stock: { onHand: 4, reserved: 1, held: true },
        stockVersion: 2,
        lastMovement: 1,
        deleted: false
      }
      yield* store.transact(store.pets.save(after))
      assertEqual(yield* store.pets.find(id), after)
      assertEqual(yield* store.pets.find(other), before)
    }),

  "saving only the stock of a pet keeps its status in filtered lists": (store) =>
    Effect.gen(function* () {
      const stock = { onHand: 5, reserved: 0, held: false }
      const id = yield* givenPet(store, { stock })
      const pet = yield* store.pets.find(id)
      if (pet === undefined) return yield* Effect.die(new Error("The pet is gone"))
      const after = { ...pet, stock: { onHand: 9, reserved: 3, held: false }, stockVersion: 2, lastMovement: 2 }
      yield* store.transact(Effect.andThen(store.movements.append(newMovement(id, 2)), store.pets.saveStock(after)))
      assertEqual(yield* store.pets.find(id), after)
      assertEqual(yield* store.pets.list({ status: "available", after: 0, limit: 10 }), [after])
    }),

  "saving only the stock of a pet keeps the rest of its row": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const before = yield* store.pets.find(id)
      if (before === undefined) return yield* Effect.die(new Error("The pet is gone"))
      const stock = { onHand: 2, reserved: 1, held: false }
      const other: PetRecord = { ...before, name: "Max", version: 9, stock, stockVersion: 2, lastMovement: 2 }
      yield* store.transact(Effect.andThen(store.movements.append(newMovement(id, 2)), store.pets.saveStock(other)))
      assertEqual(yield* store.pets.find(id), { ...before, stock, stockVersion: 2, lastMovement: 2 })
      assertEqual(yield* store.pets.list({ name: "Max", after: 0, limit: 10 }), [])
    }),

  "a deleted pet is not found or listed, and its id is never reused": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const pet = yield* store.pets.find(id)
      yield* bury(store, id)
      assertEqual(yield* store.pets.find(id), undefined)
      assertEqual(yield* findShown(store, id), undefined)
      assertEqual(yield* store.transact(store.pets.lock(id)), undefined)
      for (const query of [
        {},
        { status: "sold" as const },
        { categoryId: pet?.categoryId },
        { name: "Rex" },
        { ids: [id] }
      ]) {
        assertEqual(
          yield* store.pets.list({ ...query, after: 0, limit: 10 }),
          [],
          `the list for ${JSON.stringify(query)}`
        )
      }
      const next = yield* store.transact(addPet(store, 1))
      assertTrue(next !== id, `${next} is not an id that was used before`)
    }),

  "a deleted pet stays in the scan, and its ledger stays readable": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store)
      const tombstone = yield* bury(store, id)
      assertEqual(yield* store.pets.scan(0, 10), [tombstone])
      assertEqual(
        (yield* store.movements.list(id, 0, 10)).map(({ seq, kind }) => [seq, kind]),
        [
          [1, "initial"],
          [2, "removed"]
        ]
      )
    }),

  "a scan returns every pet in ascending id, after the given one and up to the limit": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const ids = yield* store.transact(Effect.all([1, 2, 3, 4].map(() => addPet(store, categoryId))))
      const [first = 0, second = 0, third = 0, fourth = 0] = ids
      yield* bury(store, second)
      const scan = (after: number, limit: number) =>
        Effect.map(store.pets.scan(after, limit), (pets) => pets.map(({ id }) => id))
      assertEqual(yield* scan(0, 10), ids)
      assertEqual(yield* scan(first, 2), [second, third])
      assertEqual(yield* scan(fourth, 2), [])
    }),

  "changing a record after it was saved does not change the store": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const stock = { onHand: 3, reserved: 0, held: false }
      const id = yield* store.transact(addPet(store, categoryId, { stock }))
      stock.onHand = 99
      const found: { stock: { onHand: number } } | undefined = yield* store.pets.find(id)
      if (found !== undefined) found.stock = { onHand: 98 }
      assertEqual((yield* store.pets.find(id))?.stock.onHand, 3)
      assertEqual(yield* store.movements.list(id, 0, 10), [
        { ...newMovement(id, 1, "initial"), deltaOnHand: 3, at: at(1) }
      ])
    }),

  "a record that was read does not change with its row": (store) =>
    Effect.gen(function* () {
      const id = yield* givenPet(store, { name: "Rex" })
      const read = [yield* store.pets.find(id), ...(yield* store.pets.list({ after: 0, limit: 10 }))]
      yield* store.transact(
        Effect.gen(function* () {
          const pet = yield* store.pets.lock(id)
          read.push(pet)
          if (pet === undefined) return
          const stock = { ...pet.stock, onHand: 7 }
          yield* store.pets.save({ ...pet, name: "Max", version: 2, stock, stockVersion: 2 })
        })
      )
      assertEqual((yield* store.pets.find(id))?.name, "Max")
      assertEqual(
        read.map((pet) => [pet?.name, pet?.version, pet?.stock.onHand]),
        [
          ["Rex", 1, 1],
          ["Rex", 1, 1],
          ["Rex", 1, 1]
        ]
      )
    })
})
