import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { assertInvariants, assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { Sale } from "../../../test/support/postgres/Sale.ts"
import { PostgresServer, query, testDatabaseOf } from "../../../test/support/postgres.ts"
import { openPostgresStore } from "../postgres.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.create({ inMemory: true })
  await server.start()
})
afterAll(() => server.remove())

const database = Effect.suspend(() => testDatabaseOf({ server: server.url() }))

describe("given a petstore whose PostgreSQL server stops", () => {
  it.effect(
    "when it is killed under load and comes back, then every confirmed order is there, and events have no gap",
    () =>
      Effect.gen(function* () {
        const url = yield* database
        const petstore = yield* openPostgres(url)
        const petId = yield* Effect.promise(() => petToSell(petstore, 1_000_000))
        const store = yield* openPostgresStore({ url })
        const seen: Array<number> = []
        yield* Effect.promise(async () => {
          await petstore.events.subscribe(({ seq }) => seen.push(seq), { after: 0, onError: () => {} })
          const sale = new Sale(petstore, petId)
          for (let round = 0; round < 3; round++) {
            await sale.more(40)
            await server.stop("kill")
            await new Promise((resolve) => setTimeout(resolve, 1_100))
            const ready = await Effect.runPromise(Effect.flip(store.ready))
            assert.include(["StorageBusy", "StorageUnavailable"], ready._tag)
            await server.start()
            await Effect.runPromise(store.ready)
          }
          await sale.more(40)
          await sale.stop()
          assert.isEmpty(sale.doubled)
          assert.includeMembers(["storage_busy", "commit_unknown", "storage_unavailable"], [...sale.failures])
          const rows = await query(url, "SELECT id FROM petstore.petstore_orders")
          assert.sameMembers(
            rows.map(({ id }) => Number(id)),
            [...sale.placed]
          )
          await assertInvariants(petstore)
          const last = await Effect.runPromise(store.events.latest)
          while ((seen.at(-1) ?? 0) < last) await new Promise((resolve) => setTimeout(resolve, 10))
          assert.deepStrictEqual(
            seen,
            Array.from({ length: last }, (_, index) => index + 1)
          )
        })
      })
  )

  it.effect("when it is down at the start, then opening fails with the address, and succeeds when it is back", () =>
    Effect.gen(function* () {
      const url = yield* database
      yield* Effect.promise(() => server.stop())
      const error = yield* Effect.flip(openPostgres(url))
      yield* Effect.promise(() => server.start())
      assert.match(
        String(error),
        /StorageUnavailable: Cannot open the store at 127\.0\.0\.1:\d+\/test_\w+: .*ECONNREFUSED/
      )
      assert.notInclude(String(error), new URL(url).password)
      yield* openPostgres(url)
    })
  )

  it.effect("when it takes reads only, then writes fail as unavailable, reads succeed, and it heals", () =>
    Effect.gen(function* () {
      const url = yield* database
      const name = new URL(url).pathname.slice(1)
      const petstore = yield* openPostgres(url)
      const petId = yield* Effect.promise(() => petToSell(petstore))
      const setReadOnly = (value: string) =>
        query(
          server.url(),
          `ALTER DATABASE ${name} SET default_transaction_read_only = ${value};
           SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
        )
      yield* Effect.promise(async () => {
        await setReadOnly("on")
        const { cause } = await assertRejects(petstore.orders.place({ petId }), "storage_unavailable")
        assert.match(String(cause), /read-only transaction/)
        await petstore.pets.get(petId)
        await setReadOnly("off")
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )
})
