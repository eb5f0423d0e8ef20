import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as tables from "@petstore/core/tables"
import { aCategoryRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { addPet } from "../../../test/support/rows.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"
import { openStore } from "../store.ts"

/** A shop with pets that have 100 units each, and the same file as its operator sees it. */
const shop = Effect.gen(function* () {
  const file = yield* temporaryFileInMemory
  const petstore = yield* Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite(file) })),
    (opened) => Effect.promise(() => opened.close())
  )
  const operator = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  const petIds = yield* Effect.promise(async () => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const pets = await Promise.all(["Rex", "Ada"].map((name) => petstore.pets.create({ name, categoryId })))
    await Promise.all(pets.map(({ id }) => petstore.inventory.set(id, 100)))
    return pets.map(({ id }) => id)
  })
  return { operator, petIds, petstore }
})

/** Makes the database refuse orders of 13 units. */
const refuseThirteen = (database: DatabaseSync): void =>
  database.exec(`CREATE TRIGGER refuse_thirteen BEFORE INSERT ON petstore_orders WHEN NEW.quantity = 13
    BEGIN SELECT RAISE(ABORT, 'no 13'); END`)

/** Counts the updates of pets from now on. */
const countUpdates = (database: DatabaseSync): (() => unknown) => {
  database.exec(`CREATE TABLE app_updates (id INTEGER);
    CREATE TRIGGER count_updates AFTER UPDATE ON petstore_pets BEGIN INSERT INTO app_updates VALUES (NEW.id); END`)
  return () => database.prepare("SELECT count(*) AS updates FROM app_updates").get()?.updates
}

const noViolations = ({ ok }: { readonly ok: boolean }): void => assert.isTrue(ok)

describe("commands that share a commit", () => {
  it.effect("given 20 orders of one pet, then each sees those before it, and the pet is written once", () =>
    Effect.gen(function* () {
      const { operator, petIds, petstore } = yield* shop
      const [petId = 0] = petIds
      const updates = countUpdates(operator)
      const placed = yield* Effect.promise(() =>
        Promise.allSettled(Array.from({ length: 20 }, () => petstore.orders.place({ petId, quantity: 6 })))
      )
      assert.strictEqual(placed.filter(({ status }) => status === "fulfilled").length, 16)
      assert.strictEqual((yield* Effect.promise(() => petstore.inventory.get(petId))).reserved, 96)
      assert.strictEqual(updates(), 1)
      noViolations(yield* Effect.promise(() => petstore.verify()))
    })
  )

  it.effect("given one that the database refuses, then it fails alone, and no id is missing or used twice", () =>
    Effect.gen(function* () {
      const { operator, petIds, petstore } = yield* shop
      const [petId = 0, other = 0] = petIds
      refuseThirteen(operator)
      const quantities = [1, 2, 13, 3]
      const placed = yield* Effect.promise(() =>
        Promise.allSettled(
          quantities.map((quantity) => petstore.orders.place({ petId: quantity === 2 ? other : petId, quantity }))
        )
      )
      assert.deepStrictEqual(
        placed.map((one) => (one.status === "fulfilled" ? one.value.id : one.reason.code)),
        [1, 2, "internal_error", 3]
      )
      assert.strictEqual((yield* Effect.promise(() => petstore.inventory.get(petId))).reserved, 4)
      noViolations(yield* Effect.promise(() => petstore.verify()))
    })
  )

  it.effect("given one alone that the database refuses, then it fails, and the next one has its id", () =>
    Effect.gen(function* () {
      const { operator, petIds, petstore } = yield* shop
      const [petId = 0] = petIds
      refuseThirteen(operator)
      const refused = yield* Effect.promise(() =>
        petstore.orders.place({ petId, quantity: 13 }).catch(({ code }: { readonly code: string }) => code)
      )
      assert.strictEqual(refused, "internal_error")
      assert.strictEqual((yield* Effect.promise(() => petstore.orders.place({ petId }))).id, 1)
      noViolations(yield* Effect.promise(() => petstore.verify()))
    })
  )

  it.effect("given a pet and an order of it in one commit, then the pet is written before the order", () =>
    Effect.gen(function* () {
      const { petIds, petstore } = yield* shop
      const next = Math.max(...petIds) + 1
      const [pet, stock, order] = yield* Effect.promise(() =>
        Promise.all([
          petstore.pets.create({ name: "Tim", categoryId: 1 }),
          petstore.inventory.set(next, 5),
          petstore.orders.place({ petId: next, quantity: 5 })
        ])
      )
      assert.deepStrictEqual([pet.id, stock.quantity, order.petId], [next, 5, next])
      noViolations(yield* Effect.promise(() => petstore.verify()))
    })
  )

  it.effect("given a name that one of them has taken, then the next one finds it", () =>
    Effect.gen(function* () {
      const { petstore } = yield* shop
      const created = yield* Effect.promise(() =>
        Promise.allSettled(["Cats", "CATS", "Birds"].map((name) => petstore.categories.create({ name })))
      )
      assert.deepStrictEqual(
        created.map((one) => (one.status === "fulfilled" ? one.value.id : one.reason.code)),
        [2, "category_name_taken", 3]
      )
    })
  )

  it.effect("given a pet that one of them adds to a category, then the next one cannot delete the category", () =>
    Effect.gen(function* () {
      const { petstore } = yield* shop
      const { id: categoryId } = yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
      const [, deleted] = yield* Effect.promise(() =>
        Promise.allSettled([petstore.pets.create({ name: "Tim", categoryId }), petstore.categories.delete(categoryId)])
      )
      assert.strictEqual(deleted.status === "rejected" && deleted.reason.code, "category_in_use")
    })
  )

  it.effect("given another transaction between them, then it sees what was before it, and they see what it did", () =>
    Effect.gen(function* () {
      const { store } = yield* openStore({ file: yield* temporaryFileInMemory })
      const run = store.run ?? (() => Effect.die("A store without commands"))
      const [before, , after] = yield* Effect.all(
        [
          run(function* (tx) {
            const pet = yield* tx.find(tables.pets, 1)
            yield* tx.insert(tables.categories, (id) => aCategoryRecord({ id }))
            return pet
          }),
          store.run((tx) => addPet(tx, 1, "Rex")),
          run(function* (tx) {
            return yield* tx.find(tables.pets, 1)
          })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([before, after?.name], [undefined, "Rex"])
    })
  )

  it.effect(
    "given one of them that finds rows by their keys, then it sees those before it, and nothing is written for it",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        const { store } = yield* openStore({ file })
        yield* store.run(function* (tx) {
          yield* tx.insert(tables.categories, (id) => aCategoryRecord({ id }))
          yield* addPet(tx, 1, "Rex")
        })
        const operator = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(file)),
          (database) => Effect.sync(() => database.close())
        )
        const updates = countUpdates(operator)
        const renamed = (name: string) =>
          store.run(function* (tx) {
            const pet = yield* tx.lock(tables.pets, 1)
            if (pet !== undefined) tx.save(tables.pets, { ...pet, name })
          })
        const [, found] = yield* Effect.all(
          [
            renamed("Ada"),
            store.run(function* (tx) {
              return yield* tx.findAll(tables.pets, [1, 1, 2])
            }),
            renamed("Tim")
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          found.map(({ name }) => name),
          ["Ada"]
        )
        assert.strictEqual(updates(), 1)
      })
  )
})
