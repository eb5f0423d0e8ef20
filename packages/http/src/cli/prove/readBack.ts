import type { PetstoreError } from "@petstore/core/domain"
import type { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Found, FoundStock } from "./judge.ts"
import { callOfShipDate } from "./ProofLog.ts"

type Shop = Petstore["Service"]

const page = { limit: 100 }

const stockOf = (shop: Shop, petId: number): Effect.Effect<FoundStock | undefined, PetstoreError> =>
  Effect.gen(function* () {
    const { version } = yield* shop.inventory.get(petId)
    const received = yield* shop.inventory.allMovements(petId, page).pipe(
      Stream.filter(({ kind }) => kind === "received"),
      Stream.map(({ deltaOnHand, note }) => ({ call: Number(note), units: deltaOnHand })),
      Stream.runCollect
    )
    return { petId, version, received }
  }).pipe(Effect.catchTag("NotFound", () => Effect.undefined))

/** Reads every order, the stock of these pets with its ledger, and checks every invariant. */
export const readBack = (
  shop: Shop,
  petIds: ReadonlyArray<number>
): Effect.Effect<Omit<Found, "primaries">, PetstoreError> =>
  Effect.gen(function* () {
    const orders = yield* shop.orders.all(page).pipe(
      Stream.map(({ complete, id, petId, quantity, shipDate }) => ({
        id,
        petId,
        quantity,
        complete,
        call: callOfShipDate(shipDate)
      })),
      Stream.runCollect
    )
    const stocks = yield* Effect.forEach(petIds, (petId) => stockOf(shop, petId))
    const { checks } = yield* shop.verify
    return {
      orders,
      stocks: stocks.filter((stock) => stock !== undefined),
      violations: checks
        .filter(({ violations }) => violations > 0)
        .map(({ rule, violations }) => `${rule}: ${violations} violations`)
    }
  })
