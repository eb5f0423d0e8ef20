import { describe, it } from "@effect/vitest"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openDatabase, openGuest } from "../../../test/support/host.ts"
import { killSellers } from "../../../test/support/killedSellers.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"

/** The ids of the orders and of the invoices in a file, after checking every rule. */
const sold = (file: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const db = yield* openDatabase(file)
      const petstore = yield* openGuest(db)
      yield* checkInvariants(petstore)
      const ids = (select: string) =>
        db
          .prepare(select)
          .all()
          .map(({ id }) => Number(id))
      return {
        orders: ids("SELECT id FROM petstore_orders WHERE state = 'complete'"),
        invoices: ids("SELECT order_id AS id FROM invoices")
      }
    })
  )

describe("given a host that sells, each order with its invoice", () => {
  it.effect(
    "when it ends in a transaction or is killed, then each order has its invoice, and every commit is kept",
    () => Effect.flatMap(temporaryFile, (file) => killSellers("sqlite", file, sold(file)))
  )
})
