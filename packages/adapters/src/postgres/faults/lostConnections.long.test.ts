import { assert, describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core"
import { assertInvariants, assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { Sale } from "../../../test/support/postgres/Sale.ts"
import { query, type TcpProxy, tcpProxy, testDatabase } from "../../../test/support/postgres.ts"
import type { PostgresOptions } from "../PostgresOptions.ts"

interface Setting {
  /** The URL past the proxy. */
  readonly direct: string
  readonly proxy: TcpProxy
  readonly petstore: Petstore
  readonly petId: number
}

const opened = (options: Partial<PostgresOptions>): Effect.Effect<Setting, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const direct = yield* testDatabase
    const proxy = yield* tcpProxy(direct)
    const petstore = yield* openPostgres({ ...options, url: proxy.url(direct) } as PostgresOptions)
    const petId = yield* Effect.promise(() => petToSell(petstore, 1_000_000))
    return { direct, proxy, petstore, petId }
  })

const given = (title: string, run: (setting: Setting) => Promise<void>, options: Partial<PostgresOptions> = {}): void =>
  it.effect(title, () => Effect.flatMap(opened(options), (setting) => Effect.promise(() => run(setting))))

/** Ends or cancels what the petstore does on the server, and returns how many connections were concerned. */
const signal = async (url: string, name: "pg_terminate_backend" | "pg_cancel_backend", where = "true") => {
  const rows = await query(
    url,
    `SELECT ${name}(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'petstore' AND ${where}`
  )
  return rows.length
}

const ordersIn = async (url: string): Promise<number> => {
  const [row] = await query(url, "SELECT count(*)::int AS orders FROM petstore.petstore_orders")
  return Number(row?.orders)
}

const onlyOne: Partial<PostgresOptions> = { maxConnections: 1 }

describe("given a petstore on PostgreSQL whose connections break", () => {
  for (const where of ["before the server", "after the server"] as const) {
    const committed = where === "after the server" ? 1 : 0
    given(
      `when the network is cut at a COMMIT, ${where}, then the outcome is unknown, and a retry with the key has one effect`,
      async ({ direct, petId, petstore, proxy }) => {
        proxy.loseCommit(where)
        const options = { idempotencyKey: "cart-1" }
        await assertRejects(petstore.orders.place({ petId }, options), "commit_unknown")
        assert.strictEqual(proxy.lostCommits, 1)
        assert.strictEqual(await ordersIn(direct), committed)
        const { id } = await petstore.orders.place({ petId }, options)
        assert.deepStrictEqual(await petstore.orders.place({ petId }, options), await petstore.orders.get(id))
        assert.strictEqual(await ordersIn(direct), 1)
        await assertInvariants(petstore)
      }
    )
  }

  given("when idle connections are terminated, then no call notices", async ({ direct, petId, petstore }) => {
    await Promise.all(Array.from({ length: 20 }, () => petstore.pets.get(petId)))
    for (let round = 0; round < 3; round++) {
      assert.isAbove(await signal(direct, "pg_terminate_backend"), 0)
      await petstore.pets.get(petId)
      assert.isAbove(await signal(direct, "pg_terminate_backend"), 0)
      await petstore.orders.place({ petId })
    }
    assert.strictEqual(await ordersIn(direct), 3)
    await assertInvariants(petstore)
  })

  given("when the proxy resets idle connections, then no call notices", async ({ direct, petId, petstore, proxy }) => {
    for (const how of ["reset", "end"] as const) {
      await Promise.all([petstore.pets.get(petId), petstore.orders.place({ petId })])
      assert.isAbove(proxy.cut(how), 0)
      await Promise.all([petstore.pets.get(petId), petstore.orders.place({ petId })])
    }
    assert.strictEqual(await ordersIn(direct), 4)
  })

  for (const [name, done] of [
    ["pg_terminate_backend", "a backend is terminated"],
    ["pg_cancel_backend", "a statement is cancelled"]
  ] as const) {
    given(
      `when ${done} in a transaction that waits for a lock, then the transaction runs again`,
      async ({ direct, petId, petstore }) => {
        const { id } = await whileLocked(direct, petId, petstore, async () => {
          assert.strictEqual(await signal(direct, name, "wait_event_type = 'Lock'"), 1)
        })
        assert.strictEqual((await petstore.orders.get(id)).petId, petId)
        assert.strictEqual(await ordersIn(direct), 1)
        await assertInvariants(petstore)
      }
    )
  }

  given(
    "when connections are terminated under load again and again, then every order that was confirmed is there, once",
    async ({ direct, petId, petstore }) => {
      const sale = new Sale(petstore, petId)
      let terminated = 0
      for (let round = 0; round < 10; round++) {
        await sale.more(20)
        terminated += await signal(direct, "pg_terminate_backend")
      }
      await sale.stop()
      assert.isEmpty(sale.doubled)
      assert.isAbove(terminated, 10)
      assert.includeMembers(["commit_unknown", "storage_busy"], [...sale.failures])
      assert.strictEqual(await ordersIn(direct), sale.placed.size)
      await assertInvariants(petstore)
    }
  )

  given(
    "when the only connection is lost at a COMMIT, then the next call opens another",
    async ({ petId, petstore, proxy }) => {
      proxy.loseCommit("after the server")
      await assertRejects(petstore.orders.place({ petId }), "commit_unknown")
      await petstore.orders.place({ petId })
      assert.strictEqual((await petstore.inventory.get(petId)).reserved, 2)
      await assertInvariants(petstore)
    },
    onlyOne
  )
})

/** Places an order while another transaction holds the pet, does something meanwhile, and lets the pet go. */
const whileLocked = async (url: string, petId: number, petstore: Petstore, meanwhile: () => Promise<void>) => {
  const { Client } = (await import("pg")).default
  const other = new Client(url)
  await other.connect()
  try {
    await other.query("BEGIN")
    await other.query("SELECT FROM petstore.petstore_pets WHERE id = $1 FOR UPDATE", [petId])
    const placed = petstore.orders.place({ petId })
    placed.catch(() => {})
    const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while ((await query(url, waits)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await meanwhile()
    await other.query("COMMIT")
    return await placed
  } finally {
    await other.end()
  }
}
