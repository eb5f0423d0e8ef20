import type { Movement, PageQuery, VerificationReport } from "@petstore/core"
import type { Order, PetstoreError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StoredState, StoredStock } from "./judge.ts"
import { callOfShipDate } from "./ProofLog.ts"

/** What is read back: a petstore, or a client of one. */
interface Shop {
  readonly orders: { readonly all: (query: PageQuery) => Stream.Stream<Order, PetstoreError> }
  readonly inventory: {
    readonly get: (petId: number) => Effect.Effect<{ readonly version: number }, PetstoreError>
    readonly allMovements: (petId: number, query: PageQuery) => Stream.Stream<Movement, PetstoreError>
  }
}

const page = { limit: 100 }

const stockOf = (shop: Shop, petId: number): Effect.Effect<StoredStock | undefined, PetstoreError> =>
  Effect.gen(function* () {
    const { version } = yield* shop.inventory.get(petId)
    const received = yield* shop.inventory.allMovements(petId, page).pipe(
      Stream.filter(({ kind }) => kind === "received"),
      Stream.map(({ deltaOnHand, note }) => ({ call: Number(note), units: deltaOnHand })),
      Stream.runCollect
    )
    return { petId, version, received }
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "not_found",
      () => Effect.undefined
    )
  )

/** Reads every order, and the stock of these pets with its ledger. */
export const readBack = (
  shop: Shop,
  petIds: ReadonlyArray<number>
): Effect.Effect<Pick<StoredState, "orders" | "stocks">, PetstoreError> =>
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
    return { orders, stocks: stocks.filter((stock) => stock !== undefined) }
  })

/** What breaks the invariants of a store, by its verification. */
export const violationsOf = ({ checks }: Pick<VerificationReport, "checks">): StoredState["violations"] =>
  checks.filter(({ violations }) => violations > 0).map(({ rule, violations }) => `${rule}: ${violations} violations`)
