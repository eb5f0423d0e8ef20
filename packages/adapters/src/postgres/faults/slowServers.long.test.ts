import { assert, describe, it } from "@effect/vitest"
import { assertInvariants, assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { query, tcpProxy, testDatabase } from "../../../test/support/postgres.ts"

/** Runs work and returns its result with the milliseconds that it took. */
const timed = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  const start = performance.now()
  return [await work(), performance.now() - start]
}

/** Another program's connection, in a transaction. */
const otherTransaction = (url: string) =>
  Effect.tap(session(url), (client) => Effect.promise(() => client.query("BEGIN")))

/** Makes the server take so many seconds for each order. */
const slowDown = (url: string, seconds: number) =>
  query(
    url,
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END';
     CREATE TRIGGER slow BEFORE INSERT ON petstore.petstore_orders FOR EACH ROW EXECUTE FUNCTION slow()`
  )

/** How much later than its timeout a call may fail on a machine that does other things, in milliseconds. */
const slack = 4_000

describe("given a petstore on a PostgreSQL that is slow", () => {
  it.effect("when another transaction keeps a row, then an order fails as busy within the lock timeout", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres({ url, lockTimeout: 300 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      const other = yield* otherTransaction(url)
      yield* Effect.promise(async () => {
        await other.query("SELECT FROM petstore.petstore_pets WHERE id = $1 FOR UPDATE", [petId])
        const [, time] = await timed(() => assertRejects(petstore.orders.place({ petId }), "storage_busy"))
        assert.isAbove(time, 250)
        assert.isBelow(time, slack)
        await other.query("ROLLBACK")
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )

  it.effect("when a statement is slow, then the server ends it after the statement timeout", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres({ url, statementTimeout: 2_000 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(async () => {
        await slowDown(url, 20)
        const [, time] = await timed(() => assertRejects(petstore.orders.place({ petId }), "storage_busy"))
        assert.isBelow(time, 2_000 + slack)
        await query(url, "DROP TRIGGER slow ON petstore.petstore_orders")
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )

  it.effect("when all connections are in use, then a call fails within the lock timeout and says so", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres({ url, maxConnections: 1, lockTimeout: 400 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(async () => {
        await slowDown(url, 4)
        const slow = petstore.orders.place({ petId })
        const sleeps = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        while ((await query(url, sleeps)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        const [{ cause, message }, time] = await timed(() => assertRejects(petstore.pets.get(petId), "storage_busy"))
        assert.isAbove(time, 350)
        assert.isBelow(time, 3_500)
        assert.match(String(cause), /All 1 connections to .* are in use/)
        assert.match(String(message), /^All 1 connections of the petstore are in use\. Nothing was changed/)
        await slow
        await petstore.pets.get(petId)
      })
    })
  )

  it.effect("when the network drops everything, then every call settles, and later ones succeed", () =>
    Effect.gen(function* () {
      const direct = yield* testDatabase
      const proxy = yield* tcpProxy(direct)
      const url = proxy.url(direct)
      const petstore = yield* openPostgres({ url, lockTimeout: 2_000, statementTimeout: 2_000, connectTimeout: 2_000 })
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(async () => {
        await Promise.all([petstore.pets.get(petId), petstore.orders.place({ petId })])
        proxy.stall()
        const calls = [
          ...Array.from({ length: 20 }, () => petstore.orders.place({ petId })),
          ...Array.from({ length: 5 }, () => petstore.pets.get(petId)),
          petstore.pets.update(petId, { name: "Thumper" }),
          petstore.orders.list({}),
          petstore.verify()
        ]
        const [results, time] = await timed(() => Promise.allSettled(calls))
        const codes = results.map((result) => (result.status === "rejected" ? result.reason.code : "succeeded"))
        assert.sameMembers([...new Set(codes)], ["storage_busy"])
        // A statement, what the client allows the server to be late, and the attempts to connect again.
        assert.isBelow(time, 2_000 + 2_000 + 2_000 + slack)
        proxy.cut()
        proxy.resume()
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )

  it.effect("when the network drops everything, then closing the petstore ends all the same", () =>
    Effect.gen(function* () {
      const direct = yield* testDatabase
      const proxy = yield* tcpProxy(direct)
      const scope = yield* Scope.make()
      const petstore = yield* Scope.provide(openPostgres(proxy.url(direct)), scope)
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(() => Promise.all([petstore.pets.get(petId), petstore.orders.place({ petId })]))
      proxy.stall()
      const [, time] = yield* Effect.promise(() => timed(() => Effect.runPromise(Scope.close(scope, Exit.void))))
      assert.isBelow(time, 2_000 + slack)
    })
  )

  it.effect("when the network drops everything at the start, then opening fails after the connect timeout", () =>
    Effect.gen(function* () {
      const direct = yield* testDatabase
      const proxy = yield* tcpProxy(direct)
      proxy.stall()
      const start = performance.now()
      const error = yield* Effect.flip(openPostgres({ url: proxy.url(direct), connectTimeout: 300 }))
      assert.isBelow(performance.now() - start, slack)
      assert.match(String(error), /Cannot open the store at 127.0.0.1:\d+\/test_\w+: timeout expired/)
    })
  )
})
