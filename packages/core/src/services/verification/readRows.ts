import { Effect } from "effect"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { IdChecks } from "./IdChecks.ts"
import { eachRow } from "./pages.ts"

/** Every row that rules are held against, tombstones included, by id. */
export interface Rows {
  readonly categories: ReadonlyMap<number, CategoryRecord>
  readonly pets: ReadonlyMap<number, PetRecord>
  readonly orders: ReadonlyMap<number, OrderRecord>
}

/** Reads them all. What is read behind them, movements and events, is not kept. */
export const readRows = Effect.fnUntraced(function* (storage: Storage["Service"], ids: IdChecks) {
  const categories = new Map<number, CategoryRecord>()
  const pets = new Map<number, PetRecord>()
  const orders = new Map<number, OrderRecord>()
  yield* eachRow(
    storage.categories.scan,
    0,
    ({ category }) => category.id,
    (row) => {
      ids.row("categories", row.category.id)
      categories.set(row.category.id, row)
    }
  )
  yield* eachRow(
    storage.pets.scan,
    0,
    ({ id }) => id,
    (row) => {
      ids.row("pets", row.id)
      pets.set(row.id, row)
    }
  )
  yield* eachRow(
    storage.orders.scan,
    0,
    ({ id }) => id,
    (row) => {
      ids.row("orders", row.id)
      orders.set(row.id, row)
    }
  )
  const rows: Rows = { categories, pets, orders }
  return rows
})
