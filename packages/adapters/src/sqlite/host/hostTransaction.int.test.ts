import type { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, shop } from "../../../test/support/host.ts"
import { codeOf, rejection, rejectsTypeError, untyped } from "../../../test/support/rejections.ts"
import { hostTransaction } from "./hostTransaction.ts"

type Shop = Effect.Success<ReturnType<typeof shop>>

const inShop = (body: (given: Shop & { readonly other: DatabaseSync }) => Promise<void>) =>
  Effect.gen(function* () {
    const opened = yield* shop()
    const other = yield* openDatabase(opened.file)
    yield* Effect.promise(() => body({ ...opened, other }))
    assert.isFalse(opened.db.isTransaction)
    yield* checkInvariants(opened.petstore)
  })

const insert = "INSERT INTO invoices (order_id) VALUES (?)"

const invoices = (db: DatabaseSync): ReadonlyArray<unknown> =>
  db
    .prepare("SELECT order_id FROM invoices ORDER BY id")
    .all()
    .map(({ order_id }) => order_id)

class NoCredit extends Error {}

describe("given a connection that requests share", () => {
  it.effect("when their transactions run at the same time, then each is there as a whole or not at all", () =>
    inShop(async ({ db, petId, petstore }) => {
      await petstore.inventory.set(petId, 100)
      const sell = (n: number) =>
        hostTransaction(db, async (tx) => {
          const order = await petstore.orders.place({ petId, quantity: 2 }, { transaction: tx })
          await sleep(n % 3)
          tx.prepare(insert).run(order.id)
          await sleep(n % 2)
          if (n % 4 === 0) throw new NoCredit()
          return order.id
        })
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => sell(n)))
      const sold = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
      assert.strictEqual(sold.length, 15)
      for (const outcome of outcomes) if (outcome.status === "rejected") assert.instanceOf(outcome.reason, NoCredit)
      assert.deepStrictEqual(invoices(db), sold)
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 30)
    })
  )

  it.effect(
    "when a call receives the connection while a transaction is open on it, then it does not become part of that transaction",
    () =>
      inShop(async ({ db, petId, petstore }) => {
        const opened = Promise.withResolvers<void>()
        const end = Promise.withResolvers<void>()
        const first = hostTransaction(db, async () => {
          opened.resolve()
          await end.promise
          throw new NoCredit()
        })
        await opened.promise
        await rejectsTypeError(
          petstore.orders.place({ petId }, { transaction: db }),
          /Pass the argument of its function/
        )
        end.resolve()
        assert.instanceOf(await rejection(first), NoCredit)
        db.exec("BEGIN IMMEDIATE")
        await petstore.orders.place({ petId }, { transaction: db })
        db.exec("COMMIT")
        assert.strictEqual((await petstore.inventory.get(petId)).reserved, 1)
      })
  )

  it.effect("when one is begun inside another, then it is rejected instead of waiting for itself", () =>
    inShop(async ({ db, other }) => {
      await hostTransaction(db, async (tx) => {
        await rejectsTypeError(
          hostTransaction(tx, () => {}),
          /inside its own function/
        )
        await sleep(1)
        await rejectsTypeError(
          hostTransaction(db, () => {}),
          /inside its own function/
        )
        tx.prepare(insert).run(1)
      })
      assert.deepStrictEqual(invoices(db), [1])
      // What a function has left running may begin one of its own afterwards, and one on another connection has its own lock.
      let left: Promise<unknown> = Promise.resolve()
      await hostTransaction(db, () => {
        left = sleep(5).then(() => hostTransaction(db, (tx) => tx.prepare(insert).run(2)))
      })
      await left
      assert.deepStrictEqual(invoices(other), [1, 2])
    })
  )

  it.effect("when its transaction is used after its end, then the use is rejected", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { exec, statement, tx } = await hostTransaction(db, (tx) => ({
        tx,
        statement: tx.prepare(insert),
        exec: tx.exec
      }))
      assert.throws(() => tx.prepare(insert), /This hostTransaction has ended/)
      assert.throws(() => statement.run(1), /This hostTransaction has ended/)
      assert.throws(() => exec("DELETE FROM invoices"), /This hostTransaction has ended/)
      await rejectsTypeError(petstore.orders.place({ petId }, { transaction: tx }), /This hostTransaction has ended/)
      await hostTransaction(db, () =>
        rejectsTypeError(petstore.orders.place({ petId }, { transaction: tx }), /This hostTransaction has ended/)
      )
    })
  )

  it.effect(
    "when one does not end, then those that wait time out with its name in the error, or when they are cancelled",
    () =>
      inShop(async ({ db }) => {
        const end = Promise.withResolvers<void>()
        const first = hostTransaction(db, async function slowReport() {
          await end.promise
        })
        const error = await rejection(hostTransaction(db, () => {}, { lockTimeout: 30 }))
        assert.match(String(error), /StorageBusy: .* hostTransaction of slowReport has been running .* for \d\.\d s/)
        const giveUp = new AbortController()
        const waiting = rejection(hostTransaction(db, () => {}, { signal: giveUp.signal }))
        const reason = new Error("enough")
        giveUp.abort(reason)
        assert.strictEqual(await waiting, reason)
        assert.strictEqual(await rejection(hostTransaction(db, () => {}, { signal: giveUp.signal })), reason)
        end.resolve()
        await first
        await hostTransaction(db, (tx) => tx.prepare(insert).run(3))
        assert.deepStrictEqual(invoices(db), [3])
      })
  )

  it.effect(
    "when another connection writes, then it waits without blocking the event loop, and no longer than it may",
    () =>
      inShop(async ({ db, other }) => {
        other.exec("BEGIN IMMEDIATE")
        let ran = false
        const call = hostTransaction(db, () => (ran = true), { lockTimeout: 30 })
        assert.strictEqual(await codeOf(call), "storage_busy")
        assert.isFalse(ran)
        const later = hostTransaction(db, (tx) => tx.prepare(insert).run(4))
        await sleep(20)
        other.exec("COMMIT")
        await later
        assert.deepStrictEqual(invoices(db), [4])
      })
  )

  it.effect("when its function ends the transaction itself, or one is open already, then that is rejected", () =>
    inShop(async ({ db }) => {
      for (const end of ["COMMIT", "ROLLBACK"]) {
        const error = await rejection(hostTransaction(db, (tx) => tx.exec(end)))
        assert.match(String(error), /ended before the function/)
      }
      db.exec("BEGIN")
      await rejectsTypeError(
        hostTransaction(db, () => {}),
        /hostTransaction has not begun/
      )
      assert.isTrue(db.isTransaction)
      db.exec("ROLLBACK")
      await hostTransaction(db, () => {})
    })
  )

  it.effect("when COMMIT fails, then nothing has changed, and the next transaction succeeds", () =>
    inShop(async ({ db }) => {
      db.exec("CREATE TABLE lines (invoice_id INTEGER REFERENCES invoices DEFERRABLE INITIALLY DEFERRED)")
      const error = await rejection(hostTransaction(db, (tx) => tx.prepare("INSERT INTO lines VALUES (9)").run()))
      assert.match(String(error), /FOREIGN KEY constraint failed/)
      await hostTransaction(db, (tx) => tx.prepare(insert).run(5))
      assert.deepStrictEqual(invoices(db), [5])
    })
  )

  it.effect("when it is called with invalid arguments, then the error shows how to use it", () =>
    inShop(async ({ db, other }) => {
      for (const none of [undefined, null, {}, "shop.db"]) {
        await rejectsTypeError(
          hostTransaction(untyped(none), () => {}),
          /needs a DatabaseSync/
        )
      }
      await rejectsTypeError(
        hostTransaction(db, untyped(undefined)),
        /needs a DatabaseSync of node:sqlite and a function/
      )
      await rejectsTypeError(
        hostTransaction(db, () => {}, { lockTimeout: -1 }),
        /lockTimeout takes a duration/
      )
      other.close()
      await rejectsTypeError(
        hostTransaction(other, () => {}),
        /is closed/
      )
    })
  )
})
