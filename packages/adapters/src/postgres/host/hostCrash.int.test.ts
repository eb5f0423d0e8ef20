import { describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { killSellers } from "../../../test/support/killedSellers.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

/** The ids of the orders and of the invoices in a database, after checking every rule. */
const sold = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: postgres(url) })),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* checkInvariants(petstore)
      const ids = (select: string) =>
        Effect.promise(async () => (await query(url, select)).map(({ id }) => Number(id)).toSorted((a, b) => a - b))
      return {
        orders: yield* ids("SELECT id FROM petstore.petstore_orders WHERE state = 'complete'"),
        invoices: yield* ids("SELECT order_id AS id FROM invoices")
      }
    })
  )

/** Waits until the server has noticed that the program is gone: what was on its way may be committed until then. */
const untilAlone = (url: string) =>
  Effect.promise(async () => {
    const others =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    while ((await query(url, others))[0]?.n !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
  })

describe("given a host on PostgreSQL that sells, each order with its invoice", () => {
  it.effect(
    "when it ends in a transaction or is killed, then each order has its invoice, and every commit is kept",
    () =>
      Effect.flatMap(testDatabase, (url) => killSellers("postgres", url, Effect.andThen(untilAlone(url), sold(url))))
  )
})
