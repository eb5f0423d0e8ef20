import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { transactOn } from "../../../test/support/HostLibrary.ts"
import { committed, inShop, openDatabase, shop, untouched } from "../../../test/support/host.ts"
import { openLibrary } from "../../../test/support/libraries.ts"
import { codeOf, rejection, rejectsTypeError, untyped } from "../../../test/support/rejections.ts"
import { sqlite } from "../sqlite.ts"

describe("given a transaction that cannot be joined", () => {
  it.effect("when none is open, or it is over, or its connection is closed, then the call is rejected", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      const place = () => petstore.orders.place({ petId }, { transaction: db })
      await rejectsTypeError(place(), /has no open transaction.*BEGIN IMMEDIATE/)
      db.exec("BEGIN IMMEDIATE; COMMIT")
      await rejectsTypeError(place(), /has no open transaction/)
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      db.close()
      await rejectsTypeError(place(), /has no open transaction/)
    })
  )

  it.effect("when it belongs to another database, then the call is rejected and the error names both files", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const other = yield* shop()
      const inMemory = yield* openDatabase(":memory:")
      yield* Effect.promise(async () => {
        for (const stranger of [other.db, inMemory]) {
          stranger.exec("BEGIN IMMEDIATE")
          await rejectsTypeError(
            petstore.orders.place({ petId }, { transaction: stranger }),
            /belongs to another database/
          )
        }
        const error = await rejection(petstore.orders.place({ petId }, { transaction: other.db }))
        assert.include(String(error), file)
        assert.include(String(error), other.file)
        db.exec("BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
      })
    })
  )

  it.effect("when it belongs to the same file under another name, then the call joins it", () =>
    Effect.gen(function* () {
      const { file, petId, petstore } = yield* shop()
      const db = yield* openDatabase(`${file.replace("/petstore.db", "")}/./petstore.db`)
      db.exec("BEGIN IMMEDIATE")
      yield* Effect.promise(() => petstore.orders.place({ petId }, { transaction: db }))
      db.exec("COMMIT")
      yield* checkInvariants(petstore)
    })
  )

  it.effect(
    "when its connection is read-only, then reads succeed and writes are rejected, also through a library",
    () =>
      Effect.gen(function* () {
        const { file, petId, petstore } = yield* shop()
        const db = yield* openDatabase(file, { readOnly: true })
        const fails = async (transaction: object) => {
          assert.strictEqual((await petstore.pets.get(petId, { transaction })).name, "Flopsy")
          const error = await rejection(petstore.orders.place({ petId }, { transaction }))
          assert.match(
            String(error),
            /InternalError: The connection of this transaction is read-only, and the call writes/
          )
        }
        yield* Effect.promise(async () => {
          db.exec("BEGIN")
          await fails(db)
          db.exec("COMMIT")
          await transactOn(openLibrary("Kysely", db))(fails)
          assert.isFalse(db.isTransaction)
        })
      })
  )

  it.effect("when it belongs to another copy of SQLite, then the call is rejected", () =>
    inShop(async ({ db, petId, petstore }) => {
      db.exec("BEGIN IMMEDIATE")
      const stranger = {
        isOpen: true,
        isTransaction: true,
        prepare: (sql: string) => db.prepare(sql.replace("sqlite_source_id()", "'3.40.0'"))
      }
      await rejectsTypeError(petstore.orders.place({ petId }, { transaction: stranger }), /another copy of SQLite/)
    })
  )

  it.effect("when it is not a transaction, then the error shows what to pass", () =>
    inShop(async ({ petId, petstore }) => {
      for (const none of [{}, [], () => {}, null, "BEGIN", 5, true]) {
        await rejectsTypeError(petstore.orders.place({ petId }, { transaction: untyped(none) }), /Pass a DatabaseSync/)
      }
      await petstore.orders.place({ petId }, { transaction: undefined })
    })
  )

  it.effect("when it is passed to a method that sees only committed data, then the method rejects it", () =>
    inShop(async ({ db, file, petstore }) => {
      const options = untyped({ transaction: db })
      await rejectsTypeError(petstore.verify(options), /not know the option transaction/)
      await rejectsTypeError(petstore.backup(`${file}.copy`, options), /not know the option transaction/)
      await rejectsTypeError(petstore.events.list({}, options), /not know the option transaction/)
    })
  )

  it.effect(
    "when petstore.transaction is called beside it, then it is rejected, and the error shows what to do instead",
    () =>
      inShop(
        async ({ db, petstore }) => {
          db.exec("BEGIN IMMEDIATE")
          const within = petstore.transaction((tx) => tx.orders.place({}), untyped({ transaction: db }))
          await rejectsTypeError(within, /petstore.transaction is a transaction of its own/)
          const error = await rejection(petstore.transaction((tx) => tx.orders.place({})))
          assert.match(String(error), /StorageBusy: .* make its calls in that of your app instead/)
        },
        { lockTimeout: 100 }
      )
  )

  it.effect("when the petstore is closed, then the call is rejected with shutting_down", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      db.exec("BEGIN IMMEDIATE")
      yield* Effect.promise(async () => {
        await petstore.close()
        assert.strictEqual(await codeOf(petstore.orders.place({ petId }, { transaction: db })), "shutting_down")
      })
    })
  )
})

describe("given a petstore in the database of a host, whose orders have a limit", () => {
  it.effect("when a transaction of the petstore places orders, then those count that it has placed itself", () =>
    inShop(async ({ db, petId }) => {
      await using petstore = await createPetstore({
        storage: sqlite({ database: db }),
        orderLimits: { openOrders: 2 }
      })
      const placed = await petstore.transaction(async (tx) => {
        const { orders } = tx.as({ user: "ada" })
        for (let order = 0; order < 2; order++) await orders.place({ petId })
        return codeOf(orders.place({ petId }))
      })
      assert.strictEqual(placed, "order_limit_exceeded")
      assert.lengthOf((await petstore.as({ user: "ada" }).orders.list()).items, 2)
    })
  )
})

describe("given a storage without transactions of a host", () => {
  it("when a call receives one, then the error shows what to do", async () => {
    await using petstore = await createPetstore({ storage: memory() })
    await rejectsTypeError(petstore.orders.place({}, { transaction: {} }), /cannot join a host transaction/)
    await rejectsTypeError(petstore.orders.place({}, { transaction: untyped(null) }), /cannot join a host transaction/)
  })
})

describe("given a host's transaction that cannot write", () => {
  it.effect(
    "when it has read before another connection wrote, then the call fails with StorageBusy, and a new transaction succeeds",
    () =>
      inShop(async ({ db, petId, petstore }) => {
        db.exec("BEGIN")
        db.prepare("SELECT count(*) FROM invoices").get()
        await petstore.orders.place({ petId })
        const error = await rejection(petstore.orders.place({ petId }, { transaction: db }))
        assert.match(String(error), /StorageBusy: Another connection .* BEGIN IMMEDIATE/)
        db.exec("ROLLBACK; BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
        db.exec("COMMIT")
      })
  )

  it.effect(
    "when another connection holds the lock, then the call fails with StorageBusy, and the transaction stays open",
    () =>
      Effect.gen(function* () {
        const { db, file, petId, petstore } = yield* shop()
        const other = yield* openDatabase(file)
        yield* Effect.promise(async () => {
          db.exec("BEGIN")
          other.exec("BEGIN IMMEDIATE")
          assert.strictEqual(await codeOf(petstore.orders.place({ petId }, { transaction: db })), "storage_busy")
          other.exec("ROLLBACK")
          await petstore.orders.place({ petId }, { transaction: db })
          db.exec("COMMIT")
          assert.strictEqual((await petstore.inventory.get(petId)).reserved, 1)
        })
      })
  )
})
