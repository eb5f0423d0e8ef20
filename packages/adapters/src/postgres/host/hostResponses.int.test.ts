import { randomUUID } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import type pg from "pg"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { type HostStore, rowsOf } from "../../../test/support/postgres/hostStore.ts"
import { countStatements, hostShops, place, reserved, through } from "../../../test/support/postgres/inHostShop.ts"
import { rejection } from "../../../test/support/rejections.ts"
import { CallQueue } from "./CallQueue.ts"
import { CallSteps } from "./CallSteps.ts"
import { HostConnection } from "./HostConnection.ts"

expectLogs(clearText)

const { inShop } = hostShops()

/** The number of the last statement of an order. */
const lastOf = async (shop: HostStore, client: pg.Client): Promise<number> => {
  await client.query("BEGIN")
  const count = await countStatements(client, (transaction) => place(shop, transaction))
  await client.query("ROLLBACK")
  return count - 1
}

describe("given a library that fails to return the result of the statement that writes", () => {
  it(
    "when the server has run it, then the outcome is unknown, and the transaction has the order",
    inShop(async (shop, client) => {
      const last = await lastOf(shop, client)
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
      const last = await lastOf(shop, client)
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
