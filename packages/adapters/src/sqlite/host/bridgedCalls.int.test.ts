import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { drizzle } from "@petstore/adapters/drizzle"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { Petstore as EffectPetstore } from "@petstore/core/effect"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { committed, inShop, openDatabase, shop, untouched } from "../../../test/support/host.ts"
import { openDrizzle, openKysely, sql } from "../../../test/support/libraries.ts"
import { codeOf, rejection, rejectsTypeError } from "../../../test/support/rejections.ts"
import { tables } from "../../sql/tableText.ts"
import { migrations } from "../schema/migrations/index.ts"
import { sqlite } from "../sqlite.ts"
import { eventInsertion, rowChangesOf } from "../statements/RowChange.ts"

const begin = async (db: DatabaseSync) => {
  const trx = await openKysely(db).startTransaction().execute()
  return { trx, transaction: kysely(trx) }
}

describe("given the changes that the store makes", () => {
  const database = new DatabaseSync(":memory:")
  for (const migration of migrations) database.exec(migration.sql)
  const triggers = new Map(
    database
      .prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'petstore^_replay^_%' ESCAPE '^'"
      )
      .all()
      .map(({ name, sql }) => [String(name), String(sql)])
  )
  const changes = [...[...tables.values()].flatMap((table) => Object.values(rowChangesOf(table))), eventInsertion]

  it("then each has a trigger that replays the deferred writes of a call, and there are few other triggers", () => {
    assert.isAbove(changes.length, 30)
    for (const { columns, key, name } of changes) {
      const trigger = triggers.get(`petstore_replay_${name.replaceAll(" ", "_")}`) ?? assert.fail(name)
      assert.include(trigger, `NEW.write = '${name}'`)
      for (const [index, column] of [...columns, ...key].entries()) {
        assert.match(trigger, new RegExp(`\\b${column}\\b.*NEW.vals ->> ${index}\\b`, "s"), name)
      }
    }
    const names = new Set(changes.map(({ name }) => `petstore_replay_${name.replaceAll(" ", "_")}`))
    assert.deepStrictEqual(
      [...triggers.keys()].filter((name) => !names.has(name)),
      []
    )
  })
})

describe("given a transaction of a library", () => {
  it.effect("when a basket has drafts alone, then each has an id of its own", () =>
    inShop(async ({ db, petstore }) => {
      const { transaction, trx } = await begin(db)
      const placed = await petstore.orders.placeAll([{}, {}], { transaction })
      await trx.commit().execute()
      assert.strictEqual(new Set(placed.map(({ id }) => id)).size, 2)
    })
  )

  it.effect("when a trigger of the host application stops a call half-way without undoing it, then COMMIT fails", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec(`CREATE TRIGGER no_events BEFORE INSERT ON petstore_events WHEN (SELECT count(*) FROM invoices) > 0
        BEGIN SELECT RAISE(FAIL, 'no more'); END`)
      const { transaction, trx } = await begin(db)
      await trx.insertInto("invoices").values({ order_id: 1 }).execute()
      const error = await rejection(petstore.orders.place({ petId }, { transaction }))
      assert.match(String(error), /stopped this call half-way.* roll it back/)
      assert.match(String(await rejection(trx.commit().execute())), /FOREIGN KEY constraint failed/)
      await trx.rollback().execute()
      assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      db.exec("DROP TRIGGER no_events")
    })
  )

  it.effect(
    "when a trigger of the host application rejects a call, then it changes nothing, and the transaction stays open",
    () =>
      inShop(async ({ db, file, petId, petstore }) => {
        db.exec(`CREATE TRIGGER few_orders BEFORE INSERT ON petstore_orders WHEN NEW.quantity > 2
        BEGIN SELECT RAISE(ABORT, 'too many'); END`)
        const { transaction, trx } = await begin(db)
        assert.strictEqual(
          await codeOf(petstore.orders.place({ petId, quantity: 3 }, { transaction })),
          "internal_error"
        )
        await petstore.orders.place({ petId, quantity: 2 }, { transaction })
        await trx.commit().execute()
        assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [2])
      })
  )

  it.effect("when a trigger of the host application reads what a written row refers to, then it is there", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec(`CREATE TRIGGER of_order BEFORE INSERT ON petstore_movements
        WHEN NEW.order_id IS NOT NULL AND NEW.order_id NOT IN (SELECT id FROM petstore_orders)
        BEGIN SELECT RAISE(ABORT, 'no such order'); END`)
      const { transaction, trx } = await begin(db)
      await petstore.orders.place({ petId, quantity: 2 }, { transaction })
      await trx.commit().execute()
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [2])
    })
  )

  it.effect("when the connection cannot write, then calls that read succeed, and others are rejected", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const reader = yield* openDatabase(file, { readOnly: true })
      db.exec("PRAGMA query_only = ON")
      yield* Effect.promise(async () => {
        for (const connection of [db, reader]) {
          const { transaction, trx } = await begin(connection)
          assert.strictEqual((await petstore.pets.get(petId, { transaction })).name, "Flopsy")
          assert.match(
            String(await rejection(petstore.orders.place({ petId }, { transaction }))),
            /connection of this transaction is read-only, and the call writes/
          )
          await trx.commit().execute()
          assert.isFalse(connection.isTransaction)
        }
      })
      yield* checkInvariants(petstore)
    })
  )

  it.effect("when calls that read are made beside one that writes elsewhere, then they take no lock", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const other = yield* openDatabase(file)
      yield* Effect.promise(async () => {
        other.exec("BEGIN IMMEDIATE")
        const { transaction, trx } = await begin(db)
        assert.strictEqual((await petstore.inventory.get(petId, { transaction })).quantity, 5)
        await trx.commit().execute()
        other.exec("COMMIT")
      })
      yield* checkInvariants(petstore)
    })
  )

  it.effect("when a call is given its connection while another runs through the bridge, then that is rejected", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      const placed = petstore.orders.place({ petId }, { transaction })
      await rejectsTypeError(petstore.orders.place({ petId }, { transaction: db }), /through a bridge/)
      await placed
      await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
      await trx.commit().execute()
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [1, 2])
    })
  )

  it.effect(
    "when it rolls back to a savepoint while a call runs, then the call has no effect and does not succeed",
    () =>
      inShop(async ({ db, file, petId, petstore }) => {
        for (let place = 0; place < 5; place++) {
          db.exec("BEGIN; SAVEPOINT host")
          let statements = 0
          const bridge = drizzle(openDrizzle(db), sql)
          const transaction: SqlTransaction = {
            ...bridge,
            rows: (statement, values) => {
              if (statements++ === place) db.exec("ROLLBACK TO host")
              return bridge.rows(statement, values)
            }
          }
          const outcome = await petstore.orders.place({ petId }, { transaction }).then(
            () => "done",
            (error) => String(error)
          )
          db.exec("COMMIT")
          const { orders } = await committed(file, petstore, petId)
          // Before its first statement nothing of the call is there to be lost.
          assert.strictEqual(orders.length, place === 0 ? 1 : statements <= place ? 2 : 1, outcome)
          if (place > 0 && place < statements) assert.match(outcome, /ended while this call ran/)
        }
      })
  )

  it.effect("when another one begins between the reads and the writes of a call, then the call is not part of it", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const bridge = drizzle(openDrizzle(db), sql)
      let inNext = false
      const transaction: SqlTransaction = {
        ...bridge,
        rows: (statement, values) => {
          if (statement.startsWith("INSERT INTO petstore_host_calls")) {
            db.exec("ROLLBACK; BEGIN")
            inNext = true
          }
          return bridge.rows(statement, values)
        }
      }
      // The connection has the table of calls that read from an earlier transaction.
      db.exec("BEGIN")
      yield* Effect.promise(() => petstore.pets.get(petId, { transaction }))
      db.exec("COMMIT; BEGIN")
      const exit = yield* Effect.gen(function* () {
        const { inventory, orders, within } = yield* EffectPetstore
        const both = Effect.andThen(inventory.get(petId), orders.place({ petId }))
        return yield* Effect.exit(within(transaction)(both))
      }).pipe(Effect.provide(EffectPetstore.layer(sqlite(file))))
      assert.isTrue(inNext)
      assert.match(String(exit), /ended while this call ran/)
      db.exec("COMMIT")
      assert.deepStrictEqual(yield* Effect.promise(() => committed(file, petstore, petId)), untouched)
      yield* checkInvariants(petstore)
    })
  )
})

const applying = /^UPDATE petstore_host_calls/
const confirming = /^DELETE FROM petstore_host_calls WHERE token = \? AND applied = 1/

type Rows = SqlTransaction["rows"]

/** A transaction of which one statement is run in another way. */
const withStatement = (
  transaction: SqlTransaction,
  pattern: RegExp,
  run: (rows: () => ReturnType<Rows>) => ReturnType<Rows>
): SqlTransaction => ({
  ...transaction,
  rows: (statement, values) => {
    const rows = () => transaction.rows(statement, values)
    return pattern.test(statement) ? run(rows) : rows()
  }
})

describe("given a call that writes through a library", () => {
  it.effect("when its signal is aborted as it writes, then it succeeds, since it has happened", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      for (const pattern of [applying, confirming]) {
        const { transaction, trx } = await begin(db)
        const giveUp = new AbortController()
        const aborting = withStatement(transaction, pattern, async (rows) => {
          giveUp.abort()
          return rows()
        })
        await petstore.orders.place({ petId }, { transaction: aborting, signal: giveUp.signal })
        await trx.commit().execute()
      }
      assert.strictEqual((await committed(file, petstore, petId)).orders.length, 2)
    })
  )

  it.effect(
    "when the host application rolls back to a savepoint during it, then it is rejected, and COMMIT succeeds",
    () =>
      inShop(async ({ db, file, petId, petstore }) => {
        const { transaction, trx } = await begin(db)
        const goingBack = withStatement(transaction, applying, async (rows) => {
          db.exec("SAVEPOINT host")
          const found = await rows()
          db.exec("ROLLBACK TO host")
          return found
        })
        await rejectsTypeError(petstore.orders.place({ petId }, { transaction: goingBack }), /nothing of the call has/)
        await trx.commit().execute()
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
  )

  it.effect(
    "when the library returns no rows or throws, then the call fails with that reason, and COMMIT succeeds",
    () =>
      inShop(async ({ db, file, petId, petstore }) => {
        const nothing = (): never => undefined as never
        const throwing = (): never => {
          throw new Error("not now")
        }
        for (const pattern of [/^INSERT INTO petstore_host_calls/, /FROM petstore_pets/, applying]) {
          for (const odd of [nothing, throwing]) {
            const { transaction, trx } = await begin(db)
            const call = petstore.orders.place({ petId }, { transaction: withStatement(transaction, pattern, odd) })
            assert.strictEqual(await codeOf(call), "internal_error")
            await trx.commit().execute()
          }
        }
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
  )

  it.effect("when queries of the library run each time that they are awaited, then each runs once", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      let asked = 0
      let ran = 0
      const lazily = <A>(run: () => A | PromiseLike<A>): PromiseLike<A> => {
        asked++
        return {
          // biome-ignore lint/suspicious/noThenProperty: as the queries of libraries have it
          then: (onDone, onFailed) => {
            ran++
            return Promise.resolve(run()).then(onDone, onFailed)
          }
        }
      }
      const lazy: SqlTransaction = {
        identity: {},
        rows: (statement, values) => lazily(() => transaction.rows(statement, values)),
        run: (statement, values) => lazily(() => transaction.run(statement, values))
      }
      await petstore.pets.get(petId, { transaction: lazy })
      await petstore.orders.place({ petId }, { transaction: lazy })
      await trx.commit().execute()
      assert.strictEqual(ran, asked)
    })
  )
})
