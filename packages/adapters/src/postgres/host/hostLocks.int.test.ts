import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import type { HostCommand } from "../../../test/support/hostCommands.ts"
import { hostPool } from "../../../test/support/postgres/hostPool.ts"
import { type HostStore, rowsOf } from "../../../test/support/postgres/hostStore.ts"
import {
  before,
  connect,
  countStatements,
  hostShops,
  place,
  reserved
} from "../../../test/support/postgres/inHostShop.ts"
import { rejection } from "../../../test/support/rejections.ts"
import { postgres } from "../postgres.ts"

expectLogs(clearText)

const { inShop } = hostShops()

const impatient = ({ url }: HostStore) =>
  createPetstore({ storage: postgres({ url, lockTimeout: 200, maxConnections: 2 }) })

const never = Number.POSITIVE_INFINITY

describe("given a transaction of the host that stays open after a call", () => {
  it(
    "when others sell and read events meanwhile, then they do not wait, and its events follow when it commits",
    inShop(async (shop, client) => {
      const { events, orders } = shop.petstore
      const before = await events.latest()
      await client.query("BEGIN")
      await place(shop, client)
      const started = performance.now()
      for (let n = 0; n < 20; n++) await orders.place({})
      assert.isBelow(performance.now() - started, 4_000)
      const types = async () => (await events.list({ limit: 100 })).items.slice(before).map(({ type }) => type)
      assert.deepStrictEqual(await types(), Array(20).fill("order.placed"))
      await client.query("COMMIT")
      const after = await types()
      assert.deepStrictEqual(after.slice(0, 20), Array(20).fill("order.placed"))
      assert.include(after.slice(20), "order.placed")
    })
  )

  it(
    "when another app adds a row that refers to the same pet, then it does not wait",
    inShop(async (shop, client, other) => {
      await other.query("CREATE TABLE pictures (pet_id bigint REFERENCES petstore.petstore_pets (id))")
      await client.query("BEGIN")
      await place(shop, client)
      await other.query("SET lock_timeout = '1s'; INSERT INTO pictures VALUES (1)")
      await client.query("COMMIT")
    })
  )

  it(
    "when a call needs what it holds, then that fails after lockTimeout, and its transaction goes on",
    inShop(async (shop, client, other) => {
      const petstore = await impatient(shop)
      await client.query("BEGIN")
      await petstore.orders.place({ petId: 1 }, { transaction: client, idempotencyKey: "mine" })
      await petstore.categories.create({ name: "Cats" }, { transaction: client })
      await other.query("BEGIN")
      const calls = [
        () => petstore.inventory.set(1, 9, { transaction: other }),
        () => petstore.orders.place({ petId: 1 }, { transaction: other, idempotencyKey: "mine" }),
        () => petstore.categories.create({ name: "cats" }, { transaction: other })
      ]
      const codes: Array<string | undefined> = []
      for (const call of calls) codes.push((await rejection(call())).code)
      assert.deepStrictEqual(codes, ["storage_busy", "idempotency_in_progress", "storage_busy"])
      await petstore.messages.enqueue("Hello", { transaction: other })
      await other.query("COMMIT")
      await client.query("COMMIT")
      assert.strictEqual((await petstore.messages.list({ status: "queued" })).items.length, 1)
      await petstore.close()
    })
  )

  it(
    "when two transactions lock two pets in opposite order, then one call fails, and what both hold stays consistent",
    inShop(async (shop, client, other) => {
      await shop.petstore.inventory.set(1, 9)
      await shop.petstore.inventory.set(2, 9)
      await Promise.all([client.query("BEGIN"), other.query("BEGIN")])
      await Promise.all([place(shop, client, 1), place(shop, other, 2)])
      const outcomes = await Promise.allSettled([
        place(shop, client, 2).finally(() => client.query("COMMIT")),
        place(shop, other, 1).finally(() => other.query("COMMIT"))
      ])
      const failed = outcomes.filter(({ status }) => status === "rejected")
      assert.strictEqual(failed.length, 1)
      assert.strictEqual(Object(failed[0]).reason.code, "storage_busy")
      const { reserved: mopsy } = await shop.petstore.inventory.get(2)
      assert.strictEqual(((await reserved(shop)) ?? 0) + (mopsy ?? 0), 4 + 3)
    })
  )
})

describe("given calls at the same time in one transaction", () => {
  it(
    "when they sell the last units, then they run one after the other, and none is sold twice",
    inShop(async (shop, client) => {
      await client.query("BEGIN")
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => place(shop, client)))
      await client.query("COMMIT")
      assert.strictEqual(outcomes.filter(({ status }) => status === "fulfilled").length, 1)
      assert.strictEqual(await reserved(shop), 5)
    })
  )

  it(
    "when they come through different objects of a library, then they wait for each other too",
    inShop(async (shop, client) => {
      await shop.petstore.inventory.set(1, 50)
      await client.query("BEGIN")
      const objects = Array.from({ length: 5 }, () => ({ ...before(client, never, async () => {}), identity: {} }))
      await Promise.all(objects.map((object) => place(shop, object)))
      await client.query("COMMIT")
      assert.strictEqual(await reserved(shop), 9)
    })
  )

  it(
    "when the transaction ends before the turn of a call, then that does not run in the next one",
    inShop(async (shop, client) => {
      const untouched = await rowsOf(shop)
      await client.query("BEGIN")
      const calls = [rejection(place(shop, client)), rejection(place(shop, client))]
      await client.query("ROLLBACK")
      await client.query("BEGIN")
      for (const call of calls) assert.match((await call).message, /has ended|ended while this call ran/)
      await client.query("COMMIT")
      assert.strictEqual(await rowsOf(shop), untouched)
    })
  )

  it(
    "when a call waits for its turn, then an aborted signal cancels it, and the next one runs",
    inShop(async (shop, client) => {
      const { orders } = shop.petstore
      await client.query("BEGIN")
      const controller = new AbortController()
      const first = place(
        shop,
        before(client, 1, () => sleep(50))
      )
      const second = rejection(orders.place({ petId: 1 }, { transaction: client, signal: controller.signal }))
      const third = orders.get(1, { transaction: client })
      controller.abort(new Error("enough"))
      assert.strictEqual((await second).message, "enough")
      await Promise.all([first, third])
      await client.query("COMMIT")
      assert.strictEqual(await reserved(shop), 5)
    })
  )

  it(
    "when a signal is aborted before any of its statements, then the call has no effect, or returns its result",
    inShop(async (shop, client) => {
      const { orders } = shop.petstore
      await shop.petstore.inventory.set(1, 99)
      await client.query("BEGIN")
      const count = await countStatements(client, (transaction) => place(shop, transaction))
      const outcomes: Array<string> = []
      for (let statement = 0; statement < count; statement++) {
        const controller = new AbortController()
        const transaction = before(client, statement, async () => controller.abort(new Error("enough")))
        const [outcome] = await Promise.allSettled([
          orders.place({ petId: 1 }, { transaction, signal: controller.signal })
        ])
        outcomes.push(outcome.status)
        if (outcome.status === "rejected") assert.strictEqual(outcome.reason.message, "enough")
      }
      await client.query("COMMIT")
      // The last statement writes.
      assert.deepStrictEqual(outcomes, [...Array(count - 1).fill("rejected"), "fulfilled"])
      assert.strictEqual(await reserved(shop), 4 + 2)
    })
  )
})

describe("given a client whose pool gives it to somebody else", () => {
  it(
    "when a call of the former user is not done, then it does not touch the next transaction",
    inShop(async (shop) => {
      const pool = hostPool({ connectionString: shop.url, max: 1 })
      const first = await pool.connect()
      await first.query("BEGIN")
      const late = rejection(
        place(
          shop,
          before(first as never, 1, () => sleep(100))
        )
      )
      await sleep(20)
      await first.query("ROLLBACK")
      first.release()
      const second = await pool.connect()
      await second.query("BEGIN")
      await second.query("CREATE TABLE notes (text text)")
      assert.instanceOf(await late, TypeError)
      await shop.petstore.messages.enqueue("Hello", { transaction: second })
      await second.query("COMMIT")
      second.release()
      await pool.end()
      assert.strictEqual((await shop.petstore.messages.list({ status: "queued" })).items.length, 1)
      assert.strictEqual(await reserved(shop), 4)
    })
  )
})

describe("given a connection that is lost while a call runs", () => {
  it(
    "when it is any of its statements, then nothing of the call is there, and only the last makes it unknown",
    inShop(async (shop, client) => {
      const untouched = await rowsOf(shop)
      await client.query("BEGIN")
      const count = await countStatements(client, (transaction) => place(shop, transaction))
      await client.query("ROLLBACK")
      const codes: Array<string | undefined> = []
      for (let statement = 0; statement < count; statement++) {
        const host = await connect(shop.url)
        const { pid } = (await host.query("SELECT pg_backend_pid() AS pid")).rows[0]
        await host.query("BEGIN")
        const kill = () => shop.client.query("SELECT pg_terminate_backend($1, 1000)", [pid])
        codes.push((await rejection(place(shop, before(host, statement, kill)))).code)
        assert.strictEqual(await rowsOf(shop), untouched)
        await host.end().catch(() => {})
      }
      assert.deepStrictEqual(codes, [...Array(count - 1).fill("storage_busy"), "commit_unknown"])
    })
  )
})

describe("given a connection that writes without claiming names", () => {
  const commands: Readonly<Record<string, HostCommand>> = {
    "creates it": ({ categories }, transaction) => categories.create({ name: "Cats" }, { transaction }),
    "renames to it": ({ categories }, transaction) => categories.update(1, { name: "Cats" }, { transaction })
  }
  for (const [what, command] of Object.entries(commands)) {
    it(
      `when it takes a name at the last moment before a call ${what}, then the call fails instead of doing nothing`,
      inShop(async (shop, client) => {
        const call = (transaction: object) => command(shop.petstore, transaction)
        await client.query("BEGIN")
        const count = await countStatements(client, call)
        await client.query("ROLLBACK")
        const insert =
          "INSERT INTO petstore.petstore_categories (name, name_key, version, created_at, updated_at, deleted) VALUES ('CATS', 'cats', 1, 'now', 'now', false)"
        await client.query("BEGIN")
        const error = await rejection(call(before(client, count - 1, () => shop.client.query(insert))))
        assert.strictEqual(error.code, "storage_busy")
        await client.query("COMMIT")
        const { items } = await shop.petstore.categories.list()
        assert.deepStrictEqual(
          items.map(({ name }) => name),
          ["Rabbits", "Empty", "CATS"]
        )
        await shop.client.query("DELETE FROM petstore.petstore_categories WHERE name_key = 'cats'")
      })
    )
  }
})
