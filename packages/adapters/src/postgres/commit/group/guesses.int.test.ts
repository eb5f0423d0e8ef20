import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import { assertInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { petToSell } from "../../../../test/support/postgres/openPostgres.ts"
import { tcpProxy } from "../../../../test/support/postgres/TcpProxy.ts"
import { query, testDatabase } from "../../../../test/support/postgres.ts"
import { postgres } from "../../postgres.ts"

const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: postgres(url) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** A petstore behind a proxy that counts flights, with a pet that one caller has just ordered. */
const lone = Effect.gen(function* () {
  const url = yield* testDatabase
  const proxy = yield* tcpProxy(url)
  const petstore = yield* open(proxy.url(url))
  const petId = yield* Effect.promise(() => petToSell(petstore))
  yield* Effect.promise(() => petstore.orders.place({ petId }))
  return { petId, petstore, proxy, url }
})

describe("given one caller of a store on PostgreSQL", () => {
  it.live("when it orders, then it takes one flight if the store knows the pet, with a key too; else two", () =>
    Effect.gen(function* () {
      const { petId, petstore, proxy, url } = yield* lone
      const elsewhere = yield* open(url)
      /** At best of several times: other flights, such as those of the log, pass the proxy too. */
      const fewest = (call: (n: number) => Promise<unknown>) =>
        Effect.promise(async () => {
          let least = Number.POSITIVE_INFINITY
          for (let n = 1; n <= 6; n++) {
            const before = proxy.flights
            await call(n)
            least = Math.min(least, proxy.flights - before)
          }
          return least
        })
      const flights = [
        yield* fewest(() => petstore.orders.place({ petId })),
        yield* fewest((n) => petstore.orders.place({ petId, quantity: 2 }, { idempotencyKey: `basket-${n}` })),
        yield* fewest((n) => petstore.orders.complete(1 + n))
      ]
      assert.deepStrictEqual(flights, [1, 1, 1])
      const others = yield* Effect.promise(() => Promise.all(Array.from({ length: 6 }, () => petToSell(elsewhere))))
      assert.strictEqual(yield* fewest((n) => petstore.orders.place({ petId: others[n - 1] ?? 0 })), 2)
      yield* Effect.promise(() => assertInvariants(petstore))
    })
  )

  it.live("when its keys are repeated, then each order is placed once, also by two stores at the same time", () =>
    Effect.gen(function* () {
      const { petId, petstore, url } = yield* lone
      const stores = [petstore, yield* open(url)]
      for (let round = 0; round < 20; round++) {
        const options = { idempotencyKey: `basket-${round}` }
        const place = (one: Petstore) =>
          one.orders.place({ petId }, options).then(
            ({ id }) => id,
            (error) => error.code
          )
        const ids = yield* Effect.promise(() => Promise.all(stores.map(place)))
        const again = yield* Effect.promise(() => place(petstore))
        assert.isTrue(
          ids.every((id) => id === again || id === "idempotency_in_progress"),
          `${ids} ${again}`
        )
      }
      const [row] = yield* Effect.promise(() => query(url, "SELECT count(*)::int AS n FROM petstore.petstore_orders"))
      assert.strictEqual(row?.n, 21)
    })
  )

  it.live("when the pet has been put on hold elsewhere, then it decides by that", () =>
    Effect.gen(function* () {
      const { petId, petstore, url } = yield* lone
      const code = yield* Effect.promise(async () => {
        await query(url, `UPDATE petstore.petstore_pets SET held = TRUE, status = 'pending' WHERE id = ${petId}`)
        return petstore.orders.place({ petId }).then(
          () => "ok",
          (error) => error.code
        )
      })
      assert.strictEqual(code, "pet_not_available")
    })
  )

  it.live("when others change the same pets, then no unit is sold twice, and the log has every change in order", () =>
    Effect.gen(function* () {
      const { petId, petstore, url } = yield* lone
      const other = yield* open(url)
      yield* Effect.promise(async () => {
        await petstore.inventory.set(petId, 60)
        const sell = async (one: Petstore): Promise<number> => {
          let sold = 0
          for (let n = 0; n < 40; n++) {
            await one.orders.place({ petId }).then(
              () => sold++,
              (error) => assert.strictEqual(error.code, "insufficient_stock")
            )
            if (n % 10 === 0) await one.pets.update(petId, { name: `Rex ${n}` })
          }
          return sold
        }
        const sold = await Promise.all([sell(petstore), sell(other)])
        assert.strictEqual(sold[0] + sold[1], 59)
        await assertInvariants(petstore)
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )

  for (const [where, expected] of [
    ["before the server", "ok"],
    ["after the server", "commit_unknown"]
  ] as const) {
    it.live(
      `when the connection is lost at an order, ${where}, then it ends with ${expected}, and is placed once`,
      () =>
        Effect.gen(function* () {
          const { petId, petstore, proxy } = yield* lone
          yield* Effect.promise(async () => {
            await petstore.orders.place({ petId }, { idempotencyKey: "first" })
            await petstore.orders.place({ petId })
            proxy.loseCommit(where)
            const place = () => petstore.orders.place({ petId }, { idempotencyKey: "basket" })
            const code = await place().then(
              () => "ok",
              (error) => error.code
            )
            assert.deepStrictEqual([code, proxy.lostCommits], [expected, 1])
            assert.strictEqual((await place()).id, (await place()).id)
            assert.strictEqual((await petstore.inventory.get(petId)).reserved, 4)
            await assertInvariants(petstore)
          })
        })
    )
  }
})
