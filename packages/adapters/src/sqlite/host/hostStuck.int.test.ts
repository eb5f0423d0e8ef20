import type { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { createPetstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, openGuest, shop } from "../../../test/support/host.ts"
import { openKysely } from "../../../test/support/libraries.ts"
import { codeOf, rejection } from "../../../test/support/rejections.ts"
import { sqlite } from "../sqlite.ts"

const lockTimeout = 200

/** Far more than any wait that is bounded takes here, and far less than one that is not. */
const inTime = 10_000

type Shop = Effect.Success<ReturnType<typeof shop>>

const inShop = (body: (given: Shop & { readonly other: DatabaseSync }) => Promise<void>, patience = lockTimeout) =>
  Effect.gen(function* () {
    const opened = yield* shop({ lockTimeout: patience })
    const other = yield* openDatabase(opened.file)
    const started = performance.now()
    yield* Effect.promise(() => body({ ...opened, other }))
    assert.isBelow(performance.now() - started, inTime)
    yield* checkInvariants(yield* openGuest(other))
  })

const begin = async (db: DatabaseSync) => {
  const trx = await openKysely(db).startTransaction().execute()
  return { trx, transaction: kysely(trx) }
}

/** A transaction whose library runs the statements that match, and returns their results only after `respond` is called. */
const stuckOn = (transaction: SqlTransaction, pattern: RegExp) => {
  const asked = Promise.withResolvers<void>()
  const responding = Promise.withResolvers<void>()
  const held: SqlTransaction = {
    ...transaction,
    rows: async (statement, values) => {
      if (!pattern.test(statement)) return transaction.rows(statement, values)
      const rows = await transaction.rows(statement, values)
      asked.resolve()
      await responding.promise
      return rows
    }
  }
  return { asked: asked.promise, respond: responding.resolve, transaction: held }
}

const marking = /^INSERT INTO petstore_host_calls/
const locking = /FROM petstore_pets/
const applying = /^UPDATE petstore_host_calls/
const finishing = /^DELETE FROM (?:petstore_host_calls|temp\.petstore_host_reads)/

describe("given a library that never returns the result of a statement", () => {
  for (const [what, pattern] of [
    ["the first", marking],
    ["one that reads", locking]
  ] as const) {
    it.effect(`when it is ${what}, then the call is rejected by its name in time, and nothing of it has happened`, () =>
      inShop(async ({ db, petId, petstore }) => {
        const { transaction, trx } = await begin(db)
        const stuck = stuckOn(transaction, pattern)
        const error = await rejection(petstore.orders.place({ petId }, { transaction: stuck.transaction }))
        assert.match(
          String(error),
          /StorageBusy: The library of this transaction does not respond: .* for \d\.\d s .*petstore_/
        )
        stuck.respond()
        await petstore.orders.place({ petId, quantity: 2 }, { transaction })
        await trx.commit().execute()
        assert.deepStrictEqual(
          (await petstore.orders.list()).items.map(({ quantity }) => quantity),
          [2]
        )
      })
    )
  }

  it.effect("when the first one runs after all, then the call has no effect, and COMMIT succeeds", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      const release = Promise.withResolvers<void>()
      const late: SqlTransaction = {
        ...transaction,
        rows: async (statement, values) => {
          if (marking.test(statement)) await release.promise
          return transaction.rows(statement, values)
        }
      }
      const call = petstore.orders.place({ petId }, { transaction: late })
      assert.strictEqual(await codeOf(call), "storage_busy")
      release.resolve()
      // The statement runs now, and then the one that takes its row away.
      await setImmediate()
      await trx.commit().execute()
      assert.deepStrictEqual((await petstore.orders.list()).items, [])
    })
  )

  it.effect("when it is the one that writes, then it is not known whether the call happened", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      const stuck = stuckOn(transaction, applying)
      const error = await rejection(petstore.orders.place({ petId }, { transaction: stuck.transaction }))
      assert.match(String(error), /CommitUnknown: It is unknown whether the call is part of the transaction/)
      await trx.rollback().execute()
      stuck.respond()
    })
  )

  it.effect("when others wait behind it, then they time out with an error that describes it", () =>
    inShop(async ({ db, file, other, petId, petstore }) => {
      await using impatient = await createPetstore({ storage: sqlite({ file, lockTimeout }) })

      const { transaction, trx } = await begin(db)
      const { asked, transaction: held } = stuckOn(transaction, locking)
      const second = asked.then(() => rejection(impatient.orders.place({ petId }, { transaction })))
      const stuck = rejection(petstore.orders.place({ petId }, { transaction: held }))
      await asked
      const elsewhere = await begin(other)
      // Another transaction reads at once, and fails at once because it cannot write.
      assert.strictEqual((await petstore.pets.get(petId, { transaction: elsewhere.transaction })).name, "Flopsy")
      const busy = petstore.orders.place({ petId }, { transaction: elsewhere.transaction })
      assert.strictEqual(await codeOf(busy), "storage_busy")
      assert.match(
        String(await second),
        /StorageBusy: Timed out waiting for another call: .* for \d\.\d s .*petstore_pets/
      )
      await stuck
      await elsewhere.trx.rollback().execute()
      await trx.rollback().execute()
    }, 10 * lockTimeout)
  )

  it.effect("when its caller or a waiting caller cancels, then that call ends at once", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      const { asked, transaction: held } = stuckOn(transaction, locking)
      const giveUp = new AbortController()
      const { signal } = giveUp
      const stuck = rejection(petstore.orders.place({ petId }, { transaction: held, signal }))
      await asked
      const second = rejection(petstore.orders.place({ petId }, { transaction, signal }))
      const reason = new Error("enough")
      giveUp.abort(reason)
      assert.deepStrictEqual(await Promise.all([stuck, second]), [reason, reason])
      await petstore.orders.place({ petId, quantity: 3 }, { transaction })
      await trx.commit().execute()
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 3)
    })
  )

  for (const [what, pattern, code, call] of [
    ["that writes", applying, "commit_unknown", "place"],
    ["after it", finishing, "commit_unknown", "place"],
    ["that ends a call which reads", finishing, "storage_busy", "get"]
  ] as const) {
    it.effect(`when it is the statement ${what} and the caller cancels, then the wait ends long before the limit`, () =>
      inShop(async ({ db, petId, petstore }) => {
        const { transaction, trx } = await begin(db)
        const { asked, transaction: held } = stuckOn(transaction, pattern)
        const giveUp = new AbortController()
        const options = { transaction: held, signal: giveUp.signal }
        const stuck = call === "place" ? petstore.orders.place({ petId }, options) : petstore.pets.get(petId, options)
        const outcome = codeOf(stuck)
        await asked
        giveUp.abort()
        assert.strictEqual(await outcome, code)
        await trx.rollback().execute()
      })
    )
  }

  it.effect("when the petstore closes, then it does so in time", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { transaction, trx } = await begin(db)
      const { asked, respond, transaction: held } = stuckOn(transaction, locking)
      const stuck = codeOf(petstore.orders.place({ petId }, { transaction: held }))
      await asked
      await petstore.close()
      assert.strictEqual(await stuck, "storage_busy")
      respond()
      await trx.rollback().execute()
    })
  )
})
