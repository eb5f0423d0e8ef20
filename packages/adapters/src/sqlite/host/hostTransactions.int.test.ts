import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { committed, inShop, openDatabase, openGuest } from "../../../test/support/host.ts"
import { rejection } from "../../../test/support/rejections.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"

describe("given a host that has a transaction open", () => {
  it.effect("when a call is made, then it is complete before the host application continues, awaited or not", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const placed = petstore.orders.place({ petId }, { transaction: db })
      assert.strictEqual(db.prepare("SELECT count(*) AS n FROM petstore_orders").get()?.n, 1)
      db.exec("COMMIT")
      assert.strictEqual((await petstore.orders.get((await placed).id)).petId, petId)
    })
  )

  it.effect("when its connection was closed and opened again, then calls work as before", () =>
    inShop(async ({ db, petId, petstore }) => {
      for (let n = 0; n < 2; n++) {
        db.exec("BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
        db.exec("COMMIT")
        db.close()
        db.open()
      }
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 2)
    })
  )

  it.effect("when the connection returns bigints and rows as lists, then the petstore reads them correctly", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const db = yield* openDatabase(file, { readBigInts: true, returnArrays: true })
      const petstore = yield* openGuest(db)
      yield* Effect.promise(async () => {
        db.exec("BEGIN IMMEDIATE")
        const cats = await petstore.categories.create({ name: "Cats" }, { transaction: db })
        assert.deepStrictEqual(cats, { id: 1, name: "Cats", version: 1 })
        db.exec("COMMIT")
        assert.deepStrictEqual(await petstore.categories.get(1), cats)
      })
    })
  )
})

describe("given calls of the engine's own while the host has a transaction open", () => {
  it.effect("when the host application rolls back, then their changes are kept", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      await petstore.orders.place({ petId, quantity: 4 }, { transaction: db })
      const other = petstore.orders.place({ petId, quantity: 3 })
      db.exec("ROLLBACK")
      await other
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [3])
    })
  )

  it.effect("when the host application never ends it, then their error says so", () =>
    inShop(
      async ({ db, petId, petstore }) => {
        db.exec("BEGIN IMMEDIATE")
        const error = await rejection(petstore.orders.place({ petId }))
        assert.match(String(error), /StorageBusy: .* perhaps by the transaction that is open .* as \{ transaction \}/)
        db.exec("ROLLBACK")
        await petstore.orders.place({ petId })
      },
      { lockTimeout: 50 }
    )
  )
})
