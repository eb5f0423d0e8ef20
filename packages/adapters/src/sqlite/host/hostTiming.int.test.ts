import type { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { drizzle } from "@petstore/adapters/drizzle"
import { kysely, type SqlTransaction } from "@petstore/adapters/kysely"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { shop } from "../../../test/support/host.ts"
import { openDrizzle, openKysely, sql } from "../../../test/support/libraries.ts"
import { pausesOf, randomOf } from "../../../test/support/random.ts"

const seeds = Number(process.env.HOST_SEEDS ?? 15)
const firstSeed = Number(process.env.HOST_SEED ?? 1)

type Pause = () => Promise<void>
type Begin = <A>(body: (transaction: SqlTransaction) => Promise<A>) => Promise<A>

const libraries: Readonly<Record<string, (db: DatabaseSync, pause: Pause) => Begin>> = {
  Kysely: (db, pause) => {
    const opened = openKysely(db, [], pause)
    return (body) => opened.transaction().execute((trx) => body(kysely(trx)))
  },
  Drizzle: (db, pause) => {
    const opened = openDrizzle(db, pause)
    return (body) => opened.transaction((tx) => body(drizzle(tx, sql)), { behavior: "immediate" })
  }
}

class NoCredit extends Error {}

const settle = (call: Promise<unknown>) =>
  call.then(
    () => "done" as const,
    () => "refused" as const
  )

for (const [library, open] of Object.entries(libraries)) {
  describe(`given ${library} whose statements take 0 to 2 ms`, () => {
    const timings = (
      body: (given: {
        readonly begin: Begin
        readonly random: () => number
        readonly place: (transaction: SqlTransaction) => Promise<unknown>
        /** How many units are ordered, by the orders and by the stock. */
        readonly ordered: () => Promise<number>
      }) => Promise<void>
    ) =>
      Effect.gen(function* () {
        const { db, petId, petstore } = yield* shop()
        yield* Effect.promise(() => petstore.inventory.set(petId, 100_000))
        yield* Effect.promise(async () => {
          for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
            const random = randomOf(seed)
            const given = {
              begin: open(db, pausesOf(random, 2)),
              random,
              place: (transaction: SqlTransaction) =>
                petstore.orders.place({ petId }, { transaction, idempotencyKey: `order-${seed}` }),
              ordered: async () => {
                const orders: Array<unknown> = []
                for await (const order of petstore.orders.all()) orders.push(order)
                assert.strictEqual((await petstore.inventory.get(petId)).reserved, orders.length, `seed ${seed}`)
                return orders.length
              }
            }
            await body(given)
            assert.isFalse(db.isTransaction, `seed ${seed}`)
          }
        })
        yield* checkInvariants(petstore)
      })

    it.effect("when an order is placed together with something that fails, then it has no effect", () =>
      timings(async ({ begin, ordered, place, random }) => {
        let placed: Promise<unknown> = Promise.resolve()
        const credit = async () => {
          await sleep(random() * 12)
          throw new NoCredit()
        }
        const before = await ordered()
        const outcome = await begin(async (transaction) => {
          placed = settle(place(transaction))
          await Promise.all([placed, credit()])
        }).catch((error: unknown) => error)
        // If COMMIT or ROLLBACK works, the library rejects with what its function threw.
        assert.instanceOf(outcome, NoCredit)
        // The next transaction begins while the call may still run.
        const next = begin((transaction) => place(transaction))
        await placed
        await next
        assert.strictEqual(await ordered(), before + 1)
      })
    )

    it.effect("when an order is not awaited, then it exists if it succeeded and the transaction committed", () =>
      timings(async ({ begin, ordered, place, random }) => {
        let placed: Promise<"done" | "refused"> = Promise.resolve("refused")
        const before = await ordered()
        const commits = begin(async (transaction) => {
          placed = settle(place(transaction))
          await sleep(random() * 12)
        })
        const committed = await settle(commits)
        const done = await placed
        const there = (await ordered()) - before
        if (committed === "done") assert.strictEqual(there, done === "done" ? 1 : 0)
        else assert.strictEqual(there, 0)
        await begin((transaction) => place(transaction))
        assert.strictEqual((await ordered()) - before, 1)
      })
    )
  })
}
