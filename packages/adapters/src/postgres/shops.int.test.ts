import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type pg from "pg"
import { openHostPool } from "../../test/support/postgres/hostPool.ts"
import { query, testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const poolSize = 3

/** A pool as an app has it, and how many statements were sent on it. */
const openPool = (url: string) =>
  Effect.map(openHostPool({ connectionString: url, max: poolSize }), (pool) => {
    let statements = 0
    pool.on("connect", (client) => {
      const { query } = client
      Object.assign(client, {
        query: (...input: Parameters<typeof query>) => {
          statements++
          return Reflect.apply(query, client, input)
        }
      })
    })
    return { pool, statements: () => statements }
  })

const openShops = (
  pool: pg.Pool,
  schemas: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Petstore>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => Promise.all(schemas.map((schema) => createPetstore({ storage: postgres({ pool, schema }) })))),
    (shops) => Effect.promise(() => Promise.all(shops.map((shop) => shop.close())))
  )

/** Places an order for a new pet, and returns the ids. */
const sell = async (shop: Petstore) => {
  const { id: categoryId } = await shop.categories.create({ name: "Dogs" })
  const { id: petId } = await shop.pets.create({ name: "Rex", categoryId })
  const { id: orderId } = await shop.orders.place({ petId })
  return { categoryId, petId, orderId }
}

const schemas = Array.from({ length: 8 }, (_, shop) => `shop_${shop}`)

describe("many shops on one pool", () => {
  it.live("given a schema for each, then each has its own ids, events and keys, and the pool keeps its limit", () =>
    Effect.gen(function* () {
      const { pool } = yield* openPool(yield* testDatabase)
      const shops = yield* openShops(pool, schemas)
      const sold = yield* Effect.promise(() => Promise.all(shops.map(sell)))
      assert.deepStrictEqual(
        sold,
        schemas.map(() => ({ categoryId: 1, petId: 1, orderId: 1 }))
      )
      assert.isAtMost(pool.totalCount, poolSize)
      const reports = yield* Effect.promise(() => Promise.all(shops.map((shop) => shop.verify())))
      assert.isTrue(reports.every(({ ok }) => ok))
    })
  )

  it.live("given shops whose tables exist, then opening one takes a few statements, and an idle one sends none", () =>
    Effect.gen(function* () {
      const { pool, statements } = yield* openPool(yield* testDatabase)
      yield* Effect.scoped(openShops(pool, schemas))
      const before = statements()
      yield* openShops(pool, schemas)
      // The first look for orders that are due is among them: the time, and the next order.
      yield* Effect.sleep("500 millis")
      assert.isAtMost((statements() - before) / schemas.length, 7)
      const opened = statements()
      yield* Effect.sleep("500 millis")
      assert.strictEqual(statements(), opened)
    })
  )

  it.live(
    "given a subscriber in one process and an order in another, then it hears of it, and the shops beside it do not",
    () =>
      Effect.gen(function* () {
        const url = yield* testDatabase
        const { pool, statements } = yield* openPool(url)
        const shops = yield* openShops(pool, schemas)
        const elsewhere = yield* openShops((yield* openPool(url)).pool, ["shop_7"])
        const heard: Array<string> = []
        const placed = Promise.withResolvers<void>()
        const subscriptions = yield* Effect.promise(() =>
          Promise.all(
            shops.map((shop, index) =>
              shop.events.subscribe(({ type }) => {
                heard.push(`${index} ${type}`)
                if (type === "order.placed") placed.resolve()
              })
            )
          )
        )
        // One second of polling: ten times a statement for all, and some more while they find a common beat.
        yield* Effect.sleep("500 millis")
        const before = statements()
        yield* Effect.sleep("1 second")
        assert.isAtMost(statements() - before, 40)
        // A shop that is gone must not silence the others.
        yield* Effect.promise(() => query(url, "DROP SCHEMA shop_3 CASCADE"))
        yield* Effect.promise(() => Promise.all(elsewhere.map(sell)))
        yield* Effect.timeout(
          Effect.promise(() => placed.promise),
          "10 seconds"
        )
        for (const subscription of subscriptions) subscription.close()
        assert.isTrue(
          heard.every((event) => event.startsWith("7 ")),
          heard.join(", ")
        )
      })
  )
})
