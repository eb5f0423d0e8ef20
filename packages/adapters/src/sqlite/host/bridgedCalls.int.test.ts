import { assert, describe, it } from "@effect/vitest"
import type { SqlTransaction } from "@petstore/adapters/kysely"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { beginKysely } from "../../../test/support/HostLibrary.ts"
import { committed, inShop, openDatabase, shop, untouched } from "../../../test/support/host.ts"
import { openKysely } from "../../../test/support/libraries.ts"
import { rejection } from "../../../test/support/rejections.ts"

describe("given a transaction of a library", () => {
  it.effect("when a basket has drafts alone, then each has an id of its own", () =>
    inShop(async ({ db, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const placed = await petstore.orders.placeAll([{}, {}], { transaction })
      await commit()
      assert.strictEqual(new Set(placed.map(({ id }) => id)).size, 2)
    })
  )

  it.effect(
    "when a trigger of the host application stops a call half-way without undoing it, then the call changes nothing",
    () =>
      inShop(async ({ db, file, petId, petstore }) => {
        db.exec(`CREATE TRIGGER no_events BEFORE INSERT ON petstore_events WHEN (SELECT count(*) FROM invoices) > 0
        BEGIN SELECT RAISE(FAIL, 'no more'); END`)
        const { commit, run, transaction } = await beginKysely(openKysely(db))
        await run("INSERT INTO invoices (order_id) VALUES (1)")
        const error = await rejection(petstore.orders.place({ petId }, { transaction }))
        assert.strictEqual(error.code, "internal_error")
        await commit()
        assert.deepStrictEqual(await committed(file, petstore, petId), { ...untouched, invoices: 1 })
        db.exec("DROP TRIGGER no_events")
      })
  )

  it.effect("when a trigger of the host application reads what a written row refers to, then it is there", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      db.exec(`CREATE TRIGGER of_order BEFORE INSERT ON petstore_movements
        WHEN NEW.order_id IS NOT NULL AND NEW.order_id NOT IN (SELECT id FROM petstore_orders)
        BEGIN SELECT RAISE(ABORT, 'no such order'); END`)
      const { commit, transaction } = await beginKysely(openKysely(db))
      await petstore.orders.place({ petId, quantity: 2 }, { transaction })
      await commit()
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [2])
    })
  )

  it.effect("when calls that read are made beside one that writes elsewhere, then they take no lock", () =>
    Effect.gen(function* () {
      const { db, file, petId, petstore } = yield* shop()
      const other = yield* openDatabase(file)
      yield* Effect.promise(async () => {
        other.exec("BEGIN IMMEDIATE")
        const { commit, transaction } = await beginKysely(openKysely(db))
        assert.strictEqual((await petstore.inventory.get(petId, { transaction })).quantity, 5)
        await commit()
        other.exec("COMMIT")
      })
      yield* checkInvariants(petstore)
    })
  )

  it.effect("when a call is given its connection while another runs through the bridge, then both are made", () =>
    inShop(async ({ db, file, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const placed = petstore.orders.place({ petId }, { transaction })
      await petstore.orders.place({ petId, quantity: 2 }, { transaction: db })
      await placed
      await commit()
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders.toSorted(), [1, 2])
    })
  )
})

const calling = /petstore_call/

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
      {
        const { commit, transaction } = await beginKysely(openKysely(db))
        const giveUp = new AbortController()
        const aborting = withStatement(transaction, calling, async (rows) => {
          const found = await rows()
          giveUp.abort()
          return found
        })
        await petstore.orders.place({ petId }, { transaction: aborting, signal: giveUp.signal })
        await commit()
      }
      assert.strictEqual((await committed(file, petstore, petId)).orders.length, 1)
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
        for (const odd of [nothing, throwing]) {
          const { commit, transaction } = await beginKysely(openKysely(db))
          const call = petstore.orders.place({ petId }, { transaction: withStatement(transaction, calling, odd) })
          assert.instanceOf(await rejection(call), TypeError)
          await commit()
        }
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      })
  )

  it.effect("when queries of the library run each time that they are awaited, then each runs once", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
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
      await commit()
      assert.strictEqual(ran, asked)
    })
  )
})
