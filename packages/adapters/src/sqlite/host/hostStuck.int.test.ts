import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { SqlTransaction } from "@petstore/adapters/kysely"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { beginKysely } from "../../../test/support/HostLibrary.ts"
import { openDatabase, openGuest, shop } from "../../../test/support/host.ts"
import { openKysely } from "../../../test/support/libraries.ts"
import { codeOf, rejection } from "../../../test/support/rejections.ts"

const lockTimeout = 200

/** Far more than any wait that is bounded takes here, and far less than one that is not. */
const inTime = 10_000

type Shop = Effect.Success<ReturnType<typeof shop>>

const inShop = (body: (given: Shop) => Promise<void>) =>
  Effect.gen(function* () {
    const opened = yield* shop({ lockTimeout })
    const other = yield* openDatabase(opened.file)
    const started = performance.now()
    yield* Effect.promise(() => body(opened))
    assert.isBelow(performance.now() - started, inTime)
    yield* checkInvariants(yield* openGuest(other))
  })

/** A transaction whose library runs a statement, or returns its result, only after `respond` is called. */
const stuck = (transaction: SqlTransaction, when: "before" | "after") => {
  const asked = Promise.withResolvers<void>()
  const responding = Promise.withResolvers<void>()
  const held: SqlTransaction = {
    ...transaction,
    rows: async (statement, values) => {
      const run = () => transaction.rows(statement, values)
      const rows = when === "after" ? await run() : undefined
      asked.resolve()
      await responding.promise
      return rows ?? run()
    }
  }
  return { asked: asked.promise, respond: responding.resolve, transaction: held }
}

describe("given a library that does not run the statement of a call", () => {
  it.effect("then the call is rejected in time, has no effect if it runs after all, and others go on", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const late = stuck(transaction, "before")
      const error = await rejection(petstore.orders.place({ petId }, { transaction: late.transaction }))
      assert.match(String(error), /StorageBusy: The library of this transaction does not respond/)
      late.respond()
      await setImmediate()
      await petstore.orders.place({ petId, quantity: 2 }, { transaction })
      await commit()
      assert.deepStrictEqual(
        (await petstore.orders.list()).items.map(({ quantity }) => quantity),
        [2]
      )
    })
  )

  it.effect("when its caller cancels, then the call ends at once without an effect", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const late = stuck(transaction, "before")
      const giveUp = new AbortController()
      const { signal } = giveUp
      const call = rejection(petstore.orders.place({ petId }, { transaction: late.transaction, signal }))
      await late.asked
      const reason = new Error("enough")
      giveUp.abort(reason)
      assert.strictEqual(await call, reason)
      late.respond()
      await setImmediate()
      await commit()
      assert.deepStrictEqual((await petstore.orders.list()).items, [])
    })
  )

  it.effect("when the petstore closes, then it does so in time", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { rollback, transaction } = await beginKysely(openKysely(db))
      const late = stuck(transaction, "before")
      const call = codeOf(petstore.orders.place({ petId }, { transaction: late.transaction }))
      await late.asked
      await petstore.close()
      assert.strictEqual(await call, "storage_busy")
      late.respond()
      await rollback()
    })
  )
})

describe("given a library that runs the statement of a call and never returns its result", () => {
  it.effect("then the call resolves, because it is part of the transaction", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const { transaction: held } = stuck(transaction, "after")
      const order = await petstore.orders.place({ petId, quantity: 3 }, { transaction: held })
      await commit()
      assert.deepStrictEqual(
        (await petstore.orders.list()).items.map(({ id }) => id),
        [order.id]
      )
    })
  )

  it.effect("when its caller cancels, then the call resolves all the same, because it cannot be taken back", () =>
    inShop(async ({ db, petId, petstore }) => {
      const { commit, transaction } = await beginKysely(openKysely(db))
      const after = stuck(transaction, "after")
      const giveUp = new AbortController()
      const call = petstore.orders.place({ petId }, { transaction: after.transaction, signal: giveUp.signal })
      await after.asked
      giveUp.abort()
      const order = await call
      await commit()
      assert.deepStrictEqual(
        (await petstore.orders.list()).items.map(({ id }) => id),
        [order.id]
      )
    })
  )
})
