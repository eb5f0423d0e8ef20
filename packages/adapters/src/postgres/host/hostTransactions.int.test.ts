import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import pg from "pg"
import postgresJs from "postgres"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { hostPool } from "../../../test/support/postgres/hostPool.ts"
import { rowsOf } from "../../../test/support/postgres/hostStore.ts"
import { hostShops, place, reserved } from "../../../test/support/postgres/inHostShop.ts"
import { rejection, rejectsTypeError } from "../../../test/support/rejections.ts"
import { postgres } from "../postgres.ts"

expectLogs(clearText)

const { inShop, stores } = hostShops()

describe("given a client of pg with an open transaction", () => {
  it(
    "when an order is placed in it, then order, invoice and events are committed together, and no setting is left behind",
    inShop(async (shop, client) => {
      await client.query("CREATE TABLE invoices (order_id bigint REFERENCES petstore.petstore_orders (id))")
      const before = await rowsOf(shop)
      const settings = "SELECT name, setting FROM pg_settings WHERE source <> 'default' ORDER BY name"
      await client.query("BEGIN")
      await client.query("SET LOCAL lock_timeout = '1234ms'")
      const expected = (await client.query(settings)).rows
      const order = await place(shop, client)
      await client.query("INSERT INTO invoices VALUES ($1)", [order.id])
      assert.deepStrictEqual((await client.query(settings)).rows, expected)
      assert.strictEqual(await rowsOf(shop), before)
      await client.query("COMMIT")
      assert.strictEqual((await shop.petstore.orders.get(order.id)).quantity, 1)
      assert.strictEqual(await reserved(shop), 5)
      const { rows } = await client.query("SELECT current_setting('petstore.call', true) AS call")
      assert.strictEqual(rows[0].call, "")
    })
  )

  it(
    "when the app reads types of the database in its own way, then calls do not notice",
    inShop(async (shop, client) => {
      client.setTypeParser(20, (text: string) => BigInt(text))
      client.setTypeParser(16, () => "a boolean")
      client.setTypeParser(17, () => "bytes")
      client.setTypeParser(3802, () => "json")
      await client.query(
        "SET bytea_output = 'escape'; SET standard_conforming_strings = off; SET search_path = nowhere"
      )
      await client.query("BEGIN")
      const { id, key } = await shop.petstore.apiKeys.create(
        { accountId: 1, name: "a\\b'%\"c", scopes: ["admin"] },
        { transaction: client }
      )
      assert.strictEqual(typeof id, "number")
      const { name } = await shop.petstore.apiKeys.get(id, { transaction: client })
      assert.strictEqual(name, "a\\b'%\"c")
      await shop.petstore.apiKeys.rotate(id, {}, { transaction: client })
      await client.query("COMMIT")
      assert.strictEqual(typeof key, "string")
      assert.strictEqual((await shop.petstore.apiKeys.get(id)).name, "a\\b'%\"c")
    })
  )

  it(
    "when a call has not returned, then COMMIT is rejected with a message that says what to do",
    inShop(async (shop, client) => {
      const before = await rowsOf(shop)
      await client.query("BEGIN")
      const placed = rejection(place(shop, client))
      const error = await rejection(client.query("COMMIT"))
      assert.match(error.message, /await each petstore call before COMMIT/)
      assert.instanceOf(await placed, TypeError)
      assert.strictEqual(await rowsOf(shop), before)
    })
  )
})

describe("given something that calls cannot join", () => {
  it(
    "when there is no open transaction, or it has failed, then calls are rejected",
    inShop(async (shop, client) => {
      const before = await rowsOf(shop)
      await rejectsTypeError(place(shop, client), /no open transaction/)
      await rejectsTypeError(
        shop.petstore.orders.get(1, { transaction: client }),
        /transaction ended|no open transaction/
      )
      await client.query("BEGIN")
      await rejection(client.query("SELECT 1 / 0"))
      await rejectsTypeError(place(shop, client), /accepts nothing in it but ROLLBACK/)
      await client.query("ROLLBACK")
      assert.strictEqual(await rowsOf(shop), before)
    })
  )

  it(
    "when the isolation level is another one, then calls are rejected, and the transaction can continue",
    inShop(async (shop, client) => {
      for (const level of ["REPEATABLE READ", "SERIALIZABLE"]) {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`)
        await rejectsTypeError(place(shop, client), new RegExp(`isolation level .* is ${level.toLowerCase()}`))
        await client.query("COMMIT")
      }
    })
  )

  it(
    "when it is a pool, a database or no transaction at all, then the message says what to pass",
    inShop(async (shop) => {
      const pool = hostPool({ connectionString: shop.url, max: 1 })
      const sql = postgresJs(shop.url, { max: 1 })
      await rejectsTypeError(place(shop, pool), /Pass the client of pool.connect/)
      await rejectsTypeError(place(shop, sql), /Pass the one that sql.begin passes/)
      await rejectsTypeError(place(shop, {}), /cannot join this transaction/)
      await pool.end()
      await sql.end()
    })
  )

  it(
    "when it belongs to another database or another schema, then calls are rejected",
    inShop(async (shop, client) => {
      const other = await stores.open("pg")
      await client.query("BEGIN")
      await rejectsTypeError(place(other, client), /another database: test_\w+\. The petstore is in .*\/test_/)
      await place(shop, client)
      await client.query("COMMIT")
      const admin = new pg.Client(other.url.replace(/[^/]*$/, "postgres"))
      await admin.connect()
      await admin.query("BEGIN")
      await rejectsTypeError(place(shop, admin), /another database/)
      await admin.end()
      await other.close()
    })
  )

  it(
    "when its role may not use the tables, then the message says so; when it may, then calls work",
    inShop(async (shop, client) => {
      const role = `clerk_${shop.url.slice(-12)}`
      await client.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA petstore TO ${role}; SET ROLE ${role}`)
      await client.query("BEGIN")
      const error = await rejection(place(shop, client))
      assert.strictEqual(error.code, "storage_unavailable")
      assert.match(error.message, /may not use the tables of the petstore: permission denied/)
      await client.query("ROLLBACK")
      await client.query(`RESET ROLE;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA petstore TO ${role};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA petstore TO ${role}; SET ROLE ${role}`)
      await client.query("BEGIN")
      await place(shop, client)
      await client.query("COMMIT")
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`)
      assert.strictEqual(await reserved(shop), 5)
    })
  )
})

describe("given limits of what one owner of orders holds", () => {
  it(
    "when two transactions add to it, then the second waits for the first, and gets no more than is left",
    inShop(async (shop, client, other) => {
      const petstore = await createPetstore({ storage: postgres({ url: shop.url }), orderLimits: { openOrders: 3 } })
      const { id: categoryId } = await petstore.categories.create({ name: "Parrots" })
      const create = () => petstore.pets.create({ name: "Polly", categoryId })
      const pets = [await create(), await create(), await create(), await create()]
      const order = (transaction: object, n: number) =>
        petstore.as({ user: "ada" }).orders.place({ petId: pets[n]?.id ?? 0 }, { transaction })
      await client.query("BEGIN")
      await other.query("BEGIN")
      await order(client, 0)
      await order(client, 1)
      const third = order(other, 2)
      await client.query("COMMIT")
      await third
      assert.strictEqual((await rejection(order(other, 3))).code, "order_limit_exceeded")
      await other.query("COMMIT")
      assert.strictEqual((await petstore.as({ user: "ada" }).orders.list()).items.length, 3)
      await petstore.close()
    })
  )
})
