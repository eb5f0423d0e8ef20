import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { HostStores } from "../../../test/support/postgres/hostStore.ts"
import { pausesOf, randomOf } from "../../../test/support/random.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import { sqlTransactionOf } from "./HostClient.ts"

expectLogs(clearText)

const stores = new HostStores()
afterAll(() => stores.close(), 60_000)

const seeds = Number(process.env.HOST_SEEDS ?? 20)
const firstSeed = Number(process.env.HOST_SEED ?? 1)

type Pause = () => Promise<void>

/** Its statements take time. */
const slowly = (transaction: object, pause: Pause): SqlTransaction => {
  const joined = sqlTransactionOf(transaction)
  if (typeof joined === "string") throw new Error(joined)
  const rows: SqlTransaction["rows"] = async (statement, values) => {
    await pause()
    return joined.rows(statement, values)
  }
  return { identity: joined.identity, rows, run: rows }
}

const settle = (call: Promise<unknown>) =>
  call.then(
    () => "done" as const,
    () => "refused" as const
  )

// Not postgres.js: a statement that reaches it as its transaction ends may get no response at all, so that calls wait for
// their timeouts.
for (const name of ["pg", "Kysely", "Drizzle"] as const) {
  describe(`given ${name} with one connection to PostgreSQL, and statements that take random times`, () => {
    it("when orders are not awaited, then each exists if it succeeded and its transaction committed", async () => {
      const { close, library, petstore } = await stores.open(name, 1)
      await petstore.inventory.set(1, 100_000)
      const before = (await petstore.inventory.get(1)).reserved ?? 0
      let expected = before
      const outcomes = new Set<string>()
      for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
        const random = randomOf(seed)
        const host = await library.begin()
        const pause = pausesOf(random, 3)
        const transaction = slowly(host.transaction, pause)
        const place = (key: string) =>
          settle(petstore.orders.place({ petId: 1 }, { transaction, idempotencyKey: `${key}-${seed}` }))
        const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => place(String(index)))
        // Some have ended, however slow the machine is.
        await (seed % 10 === 0 ? Promise.all(calls) : sleep(random() * 25))
        const commits = random() < 0.7
        await pause()
        const ended = await settle(commits ? host.commit() : host.rollback())
        // The next transaction is on the same connection, and begins while calls of the last one may still run.
        await pause()
        const next = await library.begin()
        const placed = settle(petstore.orders.place({ petId: 1 }, { transaction: slowly(next.transaction, pause) }))
        const done = (await Promise.all(calls)).filter((outcome) => outcome === "done").length
        // A client has the same identity in both transactions: a call behind those of the last one may be refused with them.
        const last = await placed
        if (name !== "pg") assert.strictEqual(last, "done", `seed ${seed}`)
        await next.commit()
        expected += (commits && ended === "done" ? done : 0) + (last === "done" ? 1 : 0)
        outcomes.add(`${commits} ${ended} ${done > 0}`)
        assert.strictEqual((await petstore.inventory.get(1)).reserved, expected, `seed ${seed}`)
      }
      assert.isAbove(outcomes.size, 2)
      let orders = 0
      for await (const _ of petstore.orders.all({ petId: 1 })) orders++
      assert.strictEqual(orders, expected - 1)
      assert.isTrue((await petstore.verify()).ok)
      await close()
    })
  })
}
