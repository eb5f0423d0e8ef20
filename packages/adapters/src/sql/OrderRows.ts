import { type OrderState, orderStatesWhere } from "@petstore/core/domain"
import type { OrderRecord, OrderRows } from "@petstore/core/ports"
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
// As in the indexes of the schema, which SQLite uses for conditions of the same text alone.
const isIn = (states: ReadonlyArray<OrderState>, [one, some] = ["=", "IN"]): string =>
  states.length === 1
    ? `state ${one} '${states[0]}'`
    : `state ${some} (${states.map((state) => `'${state}'`).join(", ")})`
const isVisible = isIn(
  orderStatesWhere(({ visible }) => !visible),
  ["<>", "NOT IN"]
)
const isComplete = isIn(orderStatesWhere(({ complete }) => complete))
const selectVisible = `${select} WHERE id = ? AND ${isVisible}`
// Complete and incomplete orders are two ranges of an index, which the database merges by id. INDEXED BY keeps it from
// scanning all orders, whatever ANALYZE has found.
const listed = `${select} INDEXED BY petstore_orders_complete WHERE ${isVisible} AND (${isComplete}) = ? AND id > ?`
const listedOfPet = `${select} INDEXED BY petstore_orders_pet WHERE ${isVisible} AND pet_id = ? AND (${isComplete}) = ? AND id > ?`
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
    find: sql.first(selectVisible, toOrder),
    lock: sql.lock(selectVisible, toOrder),
    list: ({ petId, complete, after, limit }) => {
      const ranges = complete === undefined ? [false, true] : [complete]
      const range = petId === undefined ? listed : listedOfPet
      const bounds = ranges.flatMap((value) => (petId === undefined ? [value, after] : [petId, value, after]))
      const statement = `${ranges.map(() => range).join(" UNION ALL ")} ORDER BY id LIMIT ?`
      return sql.all(statement, toOrder)(...bounds, limit)
    },
    insert: (order) => insertOrder(...values(order)),
    save: (order) => updateOrder(...values(order), order.id),
    scan: sql.all(selectAll, toOrder)
  }
}
