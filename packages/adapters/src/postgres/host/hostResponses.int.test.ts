import { randomUUID } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import type pg from "pg"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { type HostStore, HostStores, rowsOf } from "../../../test/support/postgres/hostStore.ts"
import { inHostShop, place, rejection, reserved } from "../../../test/support/postgres/inHostShop.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import { CallQueue } from "./CallQueue.ts"
import { CallSteps } from "./CallSteps.ts"
import { HostConnection } from "./HostConnection.ts"
import { sqlTransactionOf } from "./hostClients.ts"

expectLogs(clearText)

const stores = new HostStores()
afterAll(() => stores.close(), 60_000)

const inShop = (body: (shop: HostStore, client: pg.Client) => Promise<void>) => inHostShop(stores, body)

type Rows = SqlTransaction["rows"]

/** A transaction whose library runs its statements in its own way. `place`: the number of the statement. */
const through = (
  client: pg.Client,
  run: (statement: () => ReturnType<Rows>, place: number) => ReturnType<Rows>
): SqlTransaction => {
  const joined = sqlTransactionOf(client)
  if (typeof joined === "string") throw new Error(joined)
  let statements = 0
  const rows: Rows = (statement, values) => run(() => joined.rows(statement, values), statements++)
  return { identity: client, rows, run: rows }
}

/** How many statements an order takes. */
const countStatements = async (shop: HostStore, client: pg.Client): Promise<number> => {
  let count = 0
  await client.query("BEGIN")
  await place(
    shop,
    through(client, (statement) => {
      count++
      return statement()
    })
  )
  await client.query("ROLLBACK")
  return count
}

describe("given a library that fails to return the result of the statement that writes", () => {
  it(
    "when the server has run it, then the outcome is unknown, and the transaction has the order",
    inShop(async (shop, client) => {
      const last = (await countStatements(shop, client)) - 1
      await client.query("BEGIN")
      const lossy = through(client, async (statement, place) => {
        const rows = await statement()
        if (place === last) throw new Error("The library cannot read the result")
        return rows
      })
      assert.strictEqual((await rejection(place(shop, lossy))).code, "commit_unknown")
      await client.query("COMMIT")
      assert.strictEqual(await reserved(shop), 5)
    })
  )

  it(
    "when the server has not run it, then nothing of the call is there, and the transaction goes on",
    inShop(async (shop, client) => {
      const last = (await countStatements(shop, client)) - 1
      const untouched = await rowsOf(shop)
      await client.query("BEGIN")
      const refusing = through(client, async (statement, place) => {
        if (place === last) throw new Error("The library cannot send the statement")
        return statement()
      })
      assert.instanceOf(await rejection(place(shop, refusing)), TypeError)
      await client.query("COMMIT")
      assert.strictEqual(await rowsOf(shop), untouched)
    })
  )
})

describe("given a library that runs a statement after the call has given up", () => {
  it(
    "when that has marked the transaction, then the mark is removed, and the transaction goes on",
    inShop(async (shop, client) => {
      const gate = Promise.withResolvers<void>()
      const late = Promise.withResolvers<unknown>()
      const transaction = through(client, async (statement, place) => {
        if (place > 0) return statement()
        await gate.promise
        const rows = statement()
        late.resolve(rows)
        return rows
      })
      const steps = new CallSteps({
        connection: new HostConnection(transaction, new CallQueue(), "petstore", 20),
        identity: client,
        known: new WeakSet([client]),
        database: randomUUID(),
        address: shop.url,
        lockTimeout: 1_000
      })
      await client.query("BEGIN")
      const outcome = await steps.take({ mark: true })
      assert.include(String(Exit.isFailure(outcome) ? outcome.cause : ""), "does not respond")
      gate.resolve()
      assert.match(JSON.stringify(await late.promise), /state/)
      // The call withdraws once the statement has settled.
      await setImmediate()
      await place(shop, client)
      await client.query("COMMIT")
      assert.strictEqual(await reserved(shop), 5)
    })
  )
})
