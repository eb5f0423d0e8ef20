import { assert, describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import { assertInvariants, assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { commitModes } from "../../../test/support/postgres/commitModes.ts"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { PostgresServer, postgresServer, query } from "../../../test/support/postgres.ts"
import { durability } from "../durability.ts"

/** A primary and a standby that follows it; both go with the scope. */
const pair: Effect.Effect<readonly [primary: PostgresServer, standby: PostgresServer], never, Scope.Scope> = Effect.gen(
  function* () {
    const primary = yield* postgresServer({ inMemory: true })
    const standby = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const made = await PostgresServer.standbyOf(primary, "second")
        await made.start()
        return made
      }),
      (made) => Effect.promise(() => made.remove())
    )
    return [primary, standby] as const
  }
)

/** The URL of both hosts, in this order. */
const urlOf = (...servers: ReadonlyArray<PostgresServer>): string => {
  const [first, ...others] = servers.map((server) => new URL(server.url()))
  return first?.href.replace(first.host, [first, ...others].map((url) => url?.host).join(",")) ?? ""
}

/** Makes commits wait for the standby with this name; for none if it is empty. */
const requireStandby = async (url: string, name: string): Promise<void> => {
  await query(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await query(url, "SELECT pg_reload_conf()")
  const current = "SHOW synchronous_standby_names"
  while ((await query(url, current))[0]?.synchronous_standby_names !== name) await new Promise((r) => setTimeout(r, 5))
}

const waitsForStandby = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

/** The standby that confirms commits. */
const confirms = "SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'"

const cancelWaits = `SELECT pg_cancel_backend(pid) FROM (${waitsForStandby}) AS waiting`

/** Completes when a transaction of an application waits for a standby, or when a call has ended. Returns whether it waits. */
const waitsOrEnds = async (url: string, call: Promise<unknown>, application: string): Promise<boolean> => {
  let ended = false
  const end = () => {
    ended = true
  }
  call.then(end, end)
  const waits = `${waitsForStandby} AND application_name = '${application}'`
  while ((await query(url, waits)).length === 0) {
    if (ended) return false
    await new Promise((r) => setTimeout(r, 5))
  }
  return true
}

/** Makes all commits wait for a standby that does not exist. The server obeys some time after it shows the setting. */
const requireMissing = async (url: string): Promise<void> => {
  await requireStandby(url, "missing")
  const probe = `${url}?application_name=probe`
  for (let waits = false; !waits; ) {
    const commit = query(probe, "SELECT pg_logical_emit_message(true, 'probe', '')")
    waits = await waitsOrEnds(url, commit, "probe")
    await query(url, cancelWaits)
    await commit
  }
}

/** Cancels each wait for a standby until calls have ended. */
const cancelledWaits = async (url: string, calls: Promise<unknown>): Promise<void> => {
  let ended = false
  const end = () => {
    ended = true
  }
  calls.then(end, end)
  while (!ended) await query(url, cancelWaits)
}

describe("given a PostgreSQL primary and a standby", () => {
  it.effect("when one URL names both, then the primary is used, and after a failover the other", () =>
    Effect.gen(function* () {
      const [primary, standby] = yield* pair
      const petstore = yield* openPostgres(urlOf(standby, primary))
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(async () => {
        const { id } = await petstore.orders.place({ petId })
        // The standby may be far behind: it may not have the table yet.
        const hasTable = "SELECT WHERE to_regclass('petstore.petstore_orders') IS NOT NULL"
        const hasOrder = "SELECT FROM petstore.petstore_orders"
        for (const text of [hasTable, hasOrder]) {
          while ((await query(standby.url(), text)).length === 0) await new Promise((r) => setTimeout(r, 5))
        }
        await primary.stop("kill")
        await query(standby.url(), "SELECT pg_promote()")
        assert.strictEqual((await petstore.orders.get(id)).petId, petId)
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )

  it.effect("when the URL names the standby only, then opening fails with the reason", () =>
    Effect.gen(function* () {
      const [, standby] = yield* pair
      const error = yield* Effect.flip(openPostgres(standby.url()))
      assert.match(
        String(error),
        /StorageUnavailable: No server of 127\.0\.0\.1:\d+\/postgres accepts writes: each is a standby/
      )
    })
  )

  it.effect(
    "when commits wait for a standby that is gone, then the outcome is unknown, and a retry has one effect",
    () =>
      Effect.gen(function* () {
        const [primary, standby] = yield* pair
        const petstore = yield* openPostgres({ url: primary.url(), statementTimeout: 2_000, lockTimeout: 300 })
        const petId = yield* Effect.promise(() => petToSell(petstore))
        yield* Effect.promise(async () => {
          await requireStandby(primary.url(), "second")
          const first = await petstore.orders.place({ petId }, { idempotencyKey: "one" })
          await standby.stop("kill")

          // An operator cancels the wait: the server warns, and has committed.
          const cancelled = petstore.orders.place({ petId }, { idempotencyKey: "two" })
          cancelled.catch(() => {})
          await waitsOrEnds(primary.url(), cancelled, "petstore")
          await query(primary.url(), cancelWaits)
          const { cause } = await assertRejects(cancelled, "commit_unknown")
          assert.match(String(cause), /canceling wait for synchronous replication/)

          // Nobody does: the wait ends after the statement timeout.
          await assertRejects(petstore.orders.place({ petId }, { idempotencyKey: "three" }), "commit_unknown")

          await standby.start()
          while ((await query(primary.url(), waitsForStandby)).length > 0) await new Promise((r) => setTimeout(r, 5))
          while ((await query(primary.url(), confirms)).length === 0) await new Promise((r) => setTimeout(r, 5))
          const second = await petstore.orders.place({ petId }, { idempotencyKey: "two" })
          const third = await petstore.orders.place({ petId }, { idempotencyKey: "three" })
          assert.strictEqual(new Set([first.id, second.id, third.id]).size, 3)
          assert.strictEqual((await petstore.inventory.get(petId)).reserved, 3)
          await assertInvariants(petstore)
        })
      })
  )
})

for (const [mode, options] of Object.entries(commitModes)) {
  describe(`given results that only the primary has, because waits for a standby were cancelled, ${mode}`, () => {
    for (const [title, keys] of Object.entries({
      "a call is repeated on another server, then it returns": ["one"],
      "two calls are repeated on another server, then they return": ["one", "two"]
    })) {
      it.effect(`when ${title} once the standby has what ${keys.length === 1 ? "it returns" : "they return"}`, () =>
        Effect.gen(function* () {
          const server = yield* postgresServer({ inMemory: true })
          const url = server.url()
          const petstore = yield* openPostgres({ ...options, url })
          const another = yield* openPostgres({ ...options, url: `${url}?application_name=another` })
          // They lock nothing but their keys: other locks make a commit wait too.
          const calls = ({ messages }: Petstore) =>
            keys.map((idempotencyKey) => messages.enqueue("Hello", { idempotencyKey }))
          yield* Effect.promise(async () => {
            await requireMissing(url)
            const first = Promise.all(calls(petstore).map((call) => assertRejects(call, "commit_unknown")))
            await cancelledWaits(url, first)
            await first
            const repeated = Promise.all(calls(another))
            assert.isTrue(await waitsOrEnds(url, repeated, "another"))
            await requireStandby(url, "")
            assert.strictEqual(new Set((await repeated).map(({ id }) => id)).size, keys.length)
            assert.strictEqual((await another.messages.list()).items.length, keys.length)
          })
        })
      )
    }
  })
}

describe("the durability of a primary with a standby", () => {
  it.live("then it is that of one machine until commits wait for the standby, which may not stop", () =>
    Effect.gen(function* () {
      const [primary, standby] = yield* pair
      const url = primary.url()
      yield* Effect.promise(() => query(url, "ALTER SYSTEM SET fsync = on"))
      yield* Effect.promise(() => requireStandby(url, ""))
      assert.strictEqual((yield* durability(url)).survives, "no")
      yield* Effect.promise(() => requireStandby(url, "second"))
      yield* Effect.promise(async () => {
        while ((await query(url, confirms)).length === 0) await new Promise((r) => setTimeout(r, 5))
      })
      const { findings, survives } = yield* durability(url)
      assert.strictEqual(survives, "yes")
      const standbys = findings.find(({ subject }) => subject === "standbys that confirm commits")
      assert.deepInclude(standbys, {
        value: "1, of which 1 must",
        problem: "commits wait if one of them stops. Add a standby"
      })
      const twoNames = urlOf(primary, primary, standby).replace("@127.0.0.1", "@localhost")
      assert.lengthOf((yield* durability(twoNames)).primaries, 1)
    })
  )
})
