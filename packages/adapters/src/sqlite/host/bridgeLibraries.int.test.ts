import { assert, describe, it } from "@effect/vitest"
import {
  type DrizzlePgTransaction,
  type DrizzleSql,
  type DrizzleSqliteTransaction,
  drizzle
} from "@petstore/adapters/drizzle"
import { type KyselyTransaction, kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { checkInvariants } from "@petstore/testing"
import type { SQL } from "drizzle-orm"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import * as Effect from "effect/Effect"
import { CamelCasePlugin, type Transaction } from "kysely"
import { expectTypeOf } from "vitest"
import { committed, inShop, openDatabase, shop } from "../../../test/support/host.ts"
import { openDrizzle, openKysely, openSyncDrizzle, sql, type Tables } from "../../../test/support/libraries.ts"
import { rejectsTypeError, untyped } from "../../../test/support/rejections.ts"

describe("given a synchronous transaction of Drizzle", () => {
  it.effect("when a call is made in it, then it is done before the transaction ends", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      const placed = openSyncDrizzle(db).transaction((tx) => [
        petstore.orders.place({ petId, quantity: 2 }, { transaction: drizzle(tx, sql) })
      ])
      assert.isFalse(db.isTransaction)
      assert.strictEqual((await placed[0])?.quantity, 2)
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [2])
    })
  )
})

describe("given Kysely with plugins that rename columns", () => {
  it.effect("when a call is made in its transaction, then the plugins see nothing of it", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      yield* Effect.promise(() =>
        openKysely(db, [new CamelCasePlugin()])
          .transaction()
          .execute(async (trx) => {
            await petstore.orders.place({ petId }, { transaction: kysely(trx) })
            assert.strictEqual((await petstore.pets.get(petId, { transaction: kysely(trx) })).categoryId, 1)
          })
      )
      yield* checkInvariants(petstore)
    })
  )

  it.effect("when calls are given a transaction and a savepoint of it at the same time, then they take turns", () =>
    inShop(async ({ db, petstore }) => {
      const create = (name: string, transaction: SqlTransaction) =>
        petstore.categories.create({ name }, { transaction }).then(
          () => true,
          () => false
        )
      const trx = await openKysely(db).startTransaction().execute()
      const [whole, part] = [kysely(trx), kysely(await trx.savepoint("part").execute())]
      const calls = [create("Cats", whole), create("cats", part), create("Dogs", whole), create("dogs", part)]
      assert.deepStrictEqual(await Promise.all(calls), [true, false, true, false])
      await trx.commit().execute()
      const { items } = await petstore.categories.list()
      assert.deepStrictEqual(
        items.map(({ name }) => name),
        ["Rabbits", "Cats", "Dogs"]
      )
    })
  )
})

describe("given a value that is not a transaction of a library", () => {
  it.effect("when it is given to a bridge, then the error says what to pass", () =>
    Effect.gen(function* () {
      const db = yield* openDatabase(":memory:")
      const database = openKysely(db)
      for (const none of [database, db, null, undefined, {}, "BEGIN"]) {
        assert.throws(() => kysely(untyped(none)), TypeError, /kysely needs the transaction of Kysely/)
      }
      for (const none of [db, null, undefined, {}, "BEGIN"]) {
        assert.throws(() => drizzle(untyped(none), sql), TypeError, /drizzle needs the transaction of Drizzle/)
      }
      for (const none of [undefined, null, {}, "SELECT", () => {}]) {
        assert.throws(() => drizzle(openDrizzle(db), untyped(none)), TypeError, /drizzle needs the tag sql/)
      }
    })
  )

  it.effect("when it is of another kind of database, then the error contains what that reported", () =>
    Effect.gen(function* () {
      const { petId, petstore } = yield* shop()
      const failure = new Error("Query failed", { cause: new Error("function sqlite_source_id() does not exist") })
      const rows = () => Promise.reject(failure)
      const transaction: SqlTransaction = { identity: {}, rows, run: rows }
      yield* Effect.promise(() =>
        rejectsTypeError(
          petstore.orders.place({ petId }, { transaction }),
          /reported: function sqlite_source_id\(\) does/
        )
      )
    })
  )

  it.effect("when a transaction of a library is given without its bridge, then the call says which one to use", () =>
    Effect.gen(function* () {
      const { db, petId, petstore } = yield* shop()
      yield* Effect.promise(() =>
        openKysely(db)
          .transaction()
          .execute((trx) =>
            rejectsTypeError(petstore.orders.place({ petId }, { transaction: trx }), /kysely\(trx\) of @petstore/)
          )
      )
    })
  )

  it("then the types of the libraries fit the bridges", () => {
    expectTypeOf<Transaction<Tables>>().toExtend<KyselyTransaction>()
    expectTypeOf<Parameters<Parameters<ReturnType<typeof openDrizzle>["transaction"]>[0]>[0]>().toExtend<
      DrizzleSqliteTransaction<SQL>
    >()
    expectTypeOf<Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0]>().toExtend<DrizzlePgTransaction<SQL>>()
    expectTypeOf<typeof sql>().toExtend<DrizzleSql<SQL>>()
    assert.isFunction(sql.param)
  })
})
