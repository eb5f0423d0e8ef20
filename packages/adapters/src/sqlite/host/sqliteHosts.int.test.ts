import { assert, describe, it } from "@effect/vitest"
import type { SqlTransaction } from "@petstore/adapters/kysely"
import type { Petstore } from "@petstore/core"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { transactOn } from "../../../test/support/HostLibrary.ts"
import { statementsOf } from "../../../test/support/HostTrials.ts"
import { committed, inShop, type Shop, untouched } from "../../../test/support/host.ts"
import { openLibrary, sqliteLibraries } from "../../../test/support/libraries.ts"
import { codeOf, rejection, rejectsTypeError } from "../../../test/support/rejections.ts"

expectLogs(clearText)

class Cancelled extends Error {}

const insert = "INSERT INTO invoices (order_id) VALUES (1)"

/** Makes calls until the disk is full. */
const fill = async ({ messages }: Petstore, transaction: object): Promise<void> => {
  for (let n = 0; n < 4; n++) await messages.enqueue("x".repeat(16_000), { transaction })
}

for (const name of sqliteLibraries) {
  const isBridge = name.endsWith("Drizzle") || name === "Kysely"
  const begin = ({ db }: Pick<Shop, "db">) => openLibrary(name, db).begin()
  const given = (title: string, body: (shop: Shop) => Promise<void>) => it.effect(title, () => inShop(body))

  describe(`given a transaction of ${name}`, () => {
    given(
      "when calls of the engine's own are made meanwhile, then they run after it, on the resulting stock",
      async (shop) => {
        const { file, petId, petstore } = shop
        const { commit, run, transaction } = await begin(shop)
        await petstore.orders.place({ petId, quantity: 4 }, { transaction })
        const others = [petstore.orders.place({ petId }), petstore.orders.place({ petId })]
        await new Promise((resolve) => setTimeout(resolve, 20))
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
        await run(insert)
        await commit()
        const outcomes = await Promise.allSettled(others)
        assert.deepStrictEqual(
          outcomes.map(({ status }) => status),
          ["fulfilled", "rejected"]
        )
        assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [4, 1])
      }
    )

    given("when its connection does not enforce foreign keys, then the call is rejected", async (shop) => {
      const { db, file, petId, petstore } = shop
      const place = () =>
        transactOn(openLibrary(name, db))((transaction) => petstore.orders.place({ petId }, { transaction }))
      db.exec("PRAGMA foreign_keys = OFF")
      await rejectsTypeError(place(), /PRAGMA foreign_keys = ON/)
      db.exec("PRAGMA foreign_keys = ON")
      await place()
      assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [1])
    })

    given(
      "when the disk is full, then the call fails and changes nothing, and neither can the host commit",
      async (shop) => {
        const { db, file, petId, petstore } = shop
        const { commit, run, transaction } = await begin(shop)
        await run(insert)
        db.exec("PRAGMA max_page_count = 1")
        const error = await rejection(fill(petstore, transaction))
        assert.match(String(error), isBridge ? /StorageFull/ : /StorageFull: .* rolled back the whole transaction/)
        if (!isBridge) {
          assert.isFalse(db.isTransaction)
          await rejectsTypeError(petstore.orders.place({ petId }, { transaction }), /has no open transaction/)
        }
        db.exec("PRAGMA max_page_count = 100000")
        if (isBridge) await run(insert)
        assert.match(String(await rejection(commit())), /FOREIGN KEY constraint failed|commit/i)
        if (db.isTransaction) db.exec("ROLLBACK")
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
        db.exec("PRAGMA max_page_count = 1")
        const ending = transactOn(openLibrary(name, db))((given) => fill(petstore, given))
        assert.strictEqual(await codeOf(ending), "storage_full")
        assert.isFalse(db.isTransaction)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      }
    )

    given(
      "when SQLite has rolled it back by itself, then a call in it is rejected and changes nothing",
      async (shop) => {
        const { db, file, petId, petstore } = shop
        const { rollback, transaction } = await begin(shop)
        await petstore.orders.place({ petId }, { transaction })
        db.exec("ROLLBACK")
        await rejectsTypeError(petstore.orders.place({ petId }, { transaction }), /has no open transaction/)
        assert.isFalse(db.isTransaction)
        await rollback().catch(() => {})
        assert.strictEqual(db.prepare("PRAGMA foreign_keys").get()?.foreign_keys, 1)
        assert.deepStrictEqual(await committed(file, petstore, petId), untouched)
      }
    )

    // Others begin with the lock, so that those who write wait instead.
    if (name === "Kysely" || name === "Drizzle")
      given(
        "when it has read before another connection wrote, then the call fails, and a new transaction succeeds",
        async (shop) => {
          const { file, petId, petstore } = shop
          const first = await begin(shop)
          await petstore.pets.get(petId, { transaction: first.transaction })
          await petstore.orders.place({ petId })
          const error = await rejection(petstore.orders.place({ petId }, { transaction: first.transaction }))
          assert.match(String(error), /StorageBusy: Another connection .* begin it again/)
          await first.rollback()
          const { commit, transaction } = await begin(shop)
          await petstore.orders.place({ petId, quantity: 2 }, { transaction })
          await commit()
          assert.deepStrictEqual((await committed(file, petstore, petId)).orders, [1, 2])
        }
      )

    if (isBridge)
      given("when a call in it is cancelled, then it leaves nothing, and the transaction continues", async (shop) => {
        const { file, petId, petstore } = shop
        const { commit, run, transaction } = await begin(shop)
        const { identity, rows } = statementsOf(transaction)
        const giveUp = new AbortController()
        const slow: SqlTransaction["rows"] = (statement, values) => {
          if (!statement.includes("petstore_call")) return rows(statement, values)
          giveUp.abort(new Cancelled())
          return Promise.resolve().then(() => rows(statement, values))
        }
        const cancelling = { identity, rows: slow, run: slow }
        const call = petstore.orders.place({ petId }, { transaction: cancelling, signal: giveUp.signal })
        assert.instanceOf(await rejection(call), Cancelled)
        await run(insert)
        await commit()
        assert.deepStrictEqual(await committed(file, petstore, petId), { ...untouched, invoices: 1 })
      })
  })
}
