import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { shop, transactOn } from "../../../test/support/host.ts"
import { codeOf } from "../../../test/support/rejections.ts"
import { sqlite } from "../sqlite.ts"

/** A shop in the database of a host, in which nobody holds more than two open orders. */
const limitedShop = Effect.gen(function* () {
  const { db, petId } = yield* shop()
  const petstore = yield* Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite({ database: db }), orderLimits: { openOrders: 2 } })),
    (opened) => Effect.promise(() => opened.close())
  )
  return { db, petId, petstore, ada: petstore.as({ user: "ada" }) }
})

const limited = (name: string, body: (given: Effect.Success<typeof limitedShop>) => Promise<void>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const given = yield* limitedShop
      yield* Effect.promise(() => body(given))
      yield* checkInvariants(given.petstore)
    })
  )

const place = ({ ada, petId }: Effect.Success<typeof limitedShop>, transaction: object) =>
  ada.orders.place({ petId }, { transaction })

describe("given a limit of open orders, and a database that the host application shares", () => {
  limited("when a transaction of the host places orders, then those count that it has placed itself", async (given) => {
    await transactOn(given.db)(async (db) => {
      await place(given, db)
      await place(given, db)
      assert.strictEqual(await codeOf(place(given, db)), "order_limit_exceeded")
    })
    assert.lengthOf((await given.ada.orders.list()).items, 2)
    assert.strictEqual(await codeOf(given.ada.orders.place({ petId: given.petId })), "order_limit_exceeded")
  })

  limited("when the host rolls back, then what it has placed counts no more", async (given) => {
    const undone = transactOn(given.db)(async (db) => {
      for (let order = 0; order < 2; order++) await place(given, db)
      throw new Error("no credit")
    })
    assert.strictEqual(String(await undone.catch((error: unknown) => error)), "Error: no credit")
    for (let order = 0; order < 2; order++) await given.ada.orders.place({ petId: given.petId })
    assert.strictEqual(await codeOf(given.ada.orders.place({ petId: given.petId })), "order_limit_exceeded")
  })

  limited(
    "when a transaction of the petstore places orders, then those count that it has placed itself",
    async (given) => {
      const { petId, petstore } = given
      const codes = await petstore.transaction(async (tx) => {
        const { orders } = tx.as({ user: "ada" })
        const found: Array<unknown> = []
        for (let order = 0; order < 3; order++) {
          found.push(
            await orders.place({ petId }).then(
              () => "placed",
              (error: unknown) => (error instanceof Error && "code" in error ? error.code : error)
            )
          )
        }
        return found
      })
      assert.deepStrictEqual(codes, ["placed", "placed", "order_limit_exceeded"])
      assert.lengthOf((await given.ada.orders.list()).items, 2)
    }
  )
})
