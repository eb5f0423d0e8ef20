import { assert, describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import { assertInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"

/** A database with a role that may connect to it and nothing else, and the URLs of both. */
const database = Effect.gen(function* () {
  const admin = yield* testDatabase
  const name = new URL(admin).pathname.slice(1)
  const role = name.replace("test", "clerk")
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      query(
        admin,
        `CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD 'clerk';
         REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${role};
         REVOKE ALL ON SCHEMA public FROM PUBLIC`
      )
    ),
    () => Effect.promise(() => query(admin, `DROP OWNED BY ${role}; DROP ROLE ${role}`))
  )
  const url = new URL(admin)
  url.username = role
  url.password = "clerk"
  return { admin, role, clerk: url.href }
})

/** Uses each table of a store. */
const trade = async (petstore: Petstore): Promise<void> => {
  const petId = await petToSell(petstore)
  const { id } = await petstore.orders.place({ petId }, { idempotencyKey: "cart-1" })
  await petstore.orders.complete(id)
  await petstore.orders.cancel((await petstore.orders.place({ petId })).id)
  const account = await petstore.accounts.create({ name: "Till" })
  await petstore.apiKeys.create({ accountId: account.id, name: "Till", preset: "admin" })
  for await (const _ of petstore.events.all()) break
  await assertInvariants(petstore)
}

describe("given a PostgreSQL role without special rights", () => {
  it.effect("when it may use one schema only, then the petstore works in it", () =>
    Effect.gen(function* () {
      const { admin, clerk, role } = yield* database
      yield* Effect.promise(() => query(admin, `CREATE SCHEMA shop; GRANT USAGE, CREATE ON SCHEMA shop TO ${role}`))
      const petstore = yield* openPostgres({ url: clerk, schema: "shop" })
      yield* Effect.promise(() => trade(petstore))
      const [row] = yield* Effect.promise(() =>
        query(
          admin,
          `SELECT (SELECT count(*)::int FROM pg_extension WHERE extname <> 'plpgsql') AS extensions,
             (SELECT string_agg(DISTINCT relnamespace::regnamespace::text, ',') FROM pg_class
                WHERE relowner = '${role}'::regrole AND relnamespace <> 'pg_toast'::regnamespace) AS schemas`
        )
      )
      assert.deepStrictEqual(row, { extensions: 0, schemas: "shop" })
    })
  )

  it.effect("when it may have one connection, then calls wait until those before have given it back", () =>
    Effect.gen(function* () {
      const { admin, clerk, role } = yield* database
      yield* Effect.promise(() =>
        query(admin, `CREATE SCHEMA shop AUTHORIZATION ${role}; ALTER ROLE ${role} CONNECTION LIMIT 1`)
      )
      const petstore = yield* openPostgres({ url: clerk, schema: "shop", maxConnections: 3, lockTimeout: 20_000 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      const [, order, pet] = yield* Effect.promise(() =>
        Promise.all([petstore.verify(), petstore.orders.place({ petId }), petstore.pets.get(petId), petstore.verify()])
      )
      assert.deepStrictEqual([order.petId, pet.id], [petId, petId])
    })
  )

  it.effect("when it may have one connection, and reads could have their own, then both take turns on it", () =>
    Effect.gen(function* () {
      const { admin, clerk, role } = yield* database
      yield* Effect.promise(() =>
        query(admin, `CREATE SCHEMA shop AUTHORIZATION ${role}; ALTER ROLE ${role} CONNECTION LIMIT 1`)
      )
      const petstore = yield* openPostgres({ url: clerk, schema: "shop", maxConnections: 8, lockTimeout: 20_000 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      const start = performance.now()
      // The connection that the last transaction has left idle, and the one of a read, are the only one each time.
      for (let round = 0; round < 3; round++) {
        yield* Effect.promise(() => petstore.pets.get(petId))
        yield* Effect.promise(() => petstore.orders.place({ petId }))
      }
      yield* Effect.promise(() =>
        Promise.all(
          [...Array(8).keys()].map((at) => (at % 2 ? petstore.pets.get(petId) : petstore.orders.place({ petId })))
        )
      )
      assert.isBelow(performance.now() - start, 15_000)
    })
  )

  it.effect("when it may not create the schema, then opening fails with the rights that it needs", () =>
    Effect.gen(function* () {
      const { clerk } = yield* database
      const error = yield* Effect.flip(openPostgres(clerk))
      assert.match(
        String(error),
        /InternalError: Cannot open the store .* permission denied for database test_\w+\. Grant the user what it lacks/
      )
    })
  )

  it.effect("when its search_path has tables of the same names, then they are not touched", () =>
    Effect.gen(function* () {
      const { admin, clerk, role } = yield* database
      yield* Effect.promise(() =>
        query(
          admin,
          `GRANT CREATE ON DATABASE ${new URL(admin).pathname.slice(1)} TO ${role}; CREATE SCHEMA hostile AUTHORIZATION ${role}`
        )
      )
      yield* Effect.scoped(openPostgres({ url: clerk, schema: "hostile" }))
      yield* Effect.promise(() => query(admin, `ALTER ROLE ${role} SET search_path = hostile, public`))
      const counts = () =>
        Effect.promise(async () => {
          const tables = await query(
            admin,
            "SELECT relname FROM pg_class WHERE relnamespace = 'hostile'::regnamespace AND relkind = 'r'"
          )
          assert.isAbove(tables.length, 8)
          const union = tables.map(
            ({ relname }) => `SELECT '${relname}' AS name, count(*)::int FROM hostile.${relname}`
          )
          return query(admin, `${union.join(" UNION ALL ")} ORDER BY name`)
        })
      const before = yield* counts()
      const petstore = yield* openPostgres(clerk)
      yield* Effect.promise(() => trade(petstore))
      assert.deepStrictEqual(yield* counts(), before)
      const [row] = yield* Effect.promise(() =>
        query(admin, "SELECT count(*)::int AS orders FROM petstore.petstore_orders")
      )
      assert.deepStrictEqual(row, { orders: 2 })
    })
  )
})
