import type { OrderState } from "@petstore/core/domain"
import type { OrderRecord, OrderRows } from "@petstore/core/ports"
import { Effect } from "effect"
import { Filter } from "./Filter.ts"
import type { Sql } from "./Sql.ts"

interface OrderRow {
  readonly id: number
  readonly state: OrderState
  readonly pet_id: number | null
  readonly quantity: number | null
  readonly ship_date: string | null
  readonly version: number
}

const select = "SELECT id, state, pet_id, quantity, ship_date, version FROM petstore_orders"
const selectLive = `${select} WHERE id = ? AND state <> 'cancelled'`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const insert = "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, version) VALUES (?, ?, ?, ?, ?)"
const update = "UPDATE petstore_orders SET state = ?, pet_id = ?, quantity = ?, ship_date = ?, version = ? WHERE id = ?"

const toOrder = (row: OrderRow): OrderRecord => ({
  id: row.id,
  order: {
    state: row.state,
    ...(row.pet_id === null ? {} : { petId: row.pet_id }),
    ...(row.quantity === null ? {} : { quantity: row.quantity }),
    ...(row.ship_date === null ? {} : { shipDate: row.ship_date })
  },
  version: row.version
})

const values = ({ order, version }: Omit<OrderRecord, "id">) =>
  [order.state, order.petId, order.quantity, order.shipDate, version] as const

export const orderRows = (sql: Sql): OrderRows => {
  const insertOrder = sql.insert(insert)
  const updateOrder = sql.run(update)
  return {
    find: sql.first(selectLive, toOrder),
    lock: sql.lock(selectLive, toOrder),
    list: ({ petId, complete, after, limit }) => {
      const filter = new Filter("state <> 'cancelled'")
      if (petId !== undefined) filter.and("pet_id = ?", petId)
      if (complete !== undefined) filter.and("(state = 'complete') = ?", complete)
      filter.and("id > ?", after)
      return sql.all(`${select} WHERE ${filter.text} ORDER BY id LIMIT ?`, toOrder)(...filter.values, limit)
    },
    insert: (order) => insertOrder(...values(order)),
    save: (order) => Effect.asVoid(updateOrder(...values(order), order.id)),
    scan: sql.all(selectAll, toOrder)
  }
}
