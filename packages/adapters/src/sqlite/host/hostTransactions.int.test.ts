import type { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { committed, inShop, invoice, openDatabase, openGuest, twoSold, untouched } from "../../../test/support/host.ts"
import { codeOf, rejection } from "../../../test/support/rejections.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"

describe("given a host that has a transaction open", () => {
  it.effect("when it commits, then its rows and those of the petstore are there, and nothing of rejected calls", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
      assert.strictEqual(
        await codeOf(petstore.orders.place({ petId, quantity: 4 }, { transaction: db })),
        "insufficient_stock"
      )
      assert.strictEqual(await codeOf(petstore.pets.get(0, { transaction: db })), "validation_failed")
      invoice(given, order.id)
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      db.exec("COMMIT")
      assert.deepStrictEqual(await committed(file, petstore, petId), twoSold)
    })
  )

  it.effect("when a call is made, then it is complete before the host application continues, awaited or not", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const placed = petstore.orders.place({ petId }, { transaction: db })
      assert.strictEqual(db.prepare("SELECT count(*) AS n FROM petstore_orders").get()?.n, 1)
      db.exec("COMMIT")
      assert.strictEqual((await petstore.orders.get((await placed).id)).petId, petId)
    })
  )

  it.effect("when a savepoint of the host application is rolled back, then so are the calls in it", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE; SAVEPOINT petstore_part")
      await petstore.orders.place({ petId }, { transaction: db })
      db.exec("ROLLBACK TO petstore_part")
      await petstore.orders.place({ petId, quantity: 3 }, { transaction: db })
      db.exec("COMMIT")
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [3])
    })
  )

  it.effect("when an idempotency key was used in it, then the key is used once it commits, and not before", () =>
    inShop(async ({ db, petId, petstore }) => {
      const place = (transaction?: DatabaseSync) =>
        petstore.orders.place({ petId, quantity: 1 }, { transaction, idempotencyKey: "k" })
      db.exec("BEGIN IMMEDIATE")
      const provisional = await place(db)
      assert.deepStrictEqual(await place(db), provisional)
      db.exec("ROLLBACK; BEGIN IMMEDIATE")
      const order = await place(db)
      db.exec("COMMIT")
      assert.deepStrictEqual(await place(), order)
      assert.strictEqual((await petstore.orders.list()).items.length, 1)
    })
  )

  it.effect("when an API key is created in it and rolled back, then no cache contains it", () =>
    inShop(async ({ db, petstore }) => {
      const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
      db.exec("BEGIN IMMEDIATE")
      const key = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" }, { transaction: db })
      assert.strictEqual((await petstore.apiKeys.get(key.id, { transaction: db })).name, "Till")
      assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
      db.exec("ROLLBACK")
      assert.strictEqual(await codeOf(petstore.apiKeys.get(key.id)), "not_found")
    })
  )

  it.effect("when it rolls back and the next one commits, then subscribers receive only what was committed", () =>
    inShop(async ({ db, petId, petstore }) => {
      const received: Array<unknown> = []
      const { promise, resolve } = Promise.withResolvers<void>()
      const subscription = await petstore.events.subscribe(({ data, type }) => {
        if (type === "order.placed") received.push(data.quantity)
        if (type === "order.cancelled") resolve()
      })
      for (const end of ["ROLLBACK", "COMMIT"]) {
        db.exec("BEGIN IMMEDIATE")
        const quantity = end === "COMMIT" ? 2 : 3
        const { id } = await petstore.orders.place({ petId, quantity }, { transaction: db })
        await petstore.orders.cancel(id, { transaction: db })
        db.exec(end)
      }
      await promise
      subscription.close()
      assert.deepStrictEqual(received, [2])
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
  it.effect("when the host application commits, then they run after it, on the resulting stock", () =>
    inShop(async (given) => {
      const { db, file, petId, petstore } = given
      db.exec("BEGIN IMMEDIATE")
      await petstore.orders.place({ petId, quantity: 4 }, { transaction: db })
      const others = [petstore.orders.place({ petId }), petstore.orders.place({ petId })]
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      invoice(given, 1)
      db.exec("COMMIT")
      const outcomes = await Promise.allSettled(others)
      assert.deepStrictEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected"]
      )
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [4, 1])
    })
  )

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
