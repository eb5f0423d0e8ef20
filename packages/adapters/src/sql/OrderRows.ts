import { type OrderState, orderStatesWhere } from "@petstore/core/domain"
import type { OrderQuery, OrderRecord, OrderRows, OwnedOrder } from "@petstore/core/ports"
import type { IndexRange } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import type { LockedRows, RowFormat } from "./RowFormat.ts"
import type { Sql } from "./Sql.ts"

interface OrderRow {
  readonly id: number
  readonly state: OrderState
  readonly pet_id: number | null
  readonly quantity: number | null
  readonly ship_date: string | null
  readonly version: number
  readonly owner: string | null
}

const select = "SELECT id, state, pet_id, quantity, ship_date, version, owner FROM petstore_orders"
// As in the indexes of the schema, which SQLite uses for conditions of the same text alone.
const isIn = (states: ReadonlyArray<OrderState>, [one, some] = ["=", "IN"]): string =>
  states.length === 1
    ? `state ${one} '${states[0]}'`
    : `state ${some} (${states.map((state) => `'${state}'`).join(", ")})`
const hiddenStates = orderStatesWhere(({ visible }) => !visible)
const isVisible = isIn(hiddenStates, ["<>", "NOT IN"])
const isComplete = isIn(orderStatesWhere(({ complete }) => complete))
const isOwned = `${isVisible} AND owner IS NOT NULL`
const selectVisible = `${select} WHERE id = ? AND ${isVisible}`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const selectOwners = "SELECT id, owner FROM petstore_orders WHERE owner IS NOT NULL"
const insert =
  "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, version, owner) VALUES (?, ?, ?, ?, ?, ?)"
const update = "UPDATE petstore_orders SET state = ?, pet_id = ?, quantity = ?, ship_date = ?, version = ? WHERE id = ?"

export const toOrder = (row: OrderRow): OrderRecord => ({
  id: row.id,
  order: {
    state: row.state,
    ...(row.pet_id === null ? {} : { petId: row.pet_id }),
    ...(row.quantity === null ? {} : { quantity: row.quantity }),
    ...(row.ship_date === null ? {} : { shipDate: row.ship_date })
  },
  version: row.version,
  ...(row.owner === null ? {} : { owner: row.owner })
})

const values = ({ order, version }: Omit<OrderRecord, "id">) =>
  [order.state, order.petId, order.quantity, order.shipDate, version] as const

/** Complete and incomplete orders are two ranges of an index. */
const ranges = ({ petId, complete, owner, after }: OrderQuery): ReadonlyArray<IndexRange> => {
  const byPet = petId === undefined ? [] : [["pet_id", petId] as const]
  const [index, contains, byOwner] =
    owner === undefined
      ? [`petstore_orders_${petId === undefined ? "complete" : "pet"}`, isVisible, []]
      : [`petstore_orders_owner${petId === undefined ? "" : "_pet"}`, isOwned, [["owner", owner] as const]]
  return (complete === undefined ? [false, true] : [complete]).map((value) => ({
    index,
    contains,
    equal: [...byOwner, ...byPet, [`(${isComplete})`, value]],
    order: ["id"],
    after: [after]
  }))
}

/** Whether an order is found by its id. */
export const isVisibleOrder = ({ order }: OrderRecord): boolean => !hiddenStates.includes(order.state)

/** Orders that are not cancelled. */
export const lockedOrders: LockedRows<OrderRow, OrderRecord> = {
  select: `${select} WHERE ${isVisible}`,
  decode: toOrder
}

/** Orders that change: not whom they belong to. */
export const changedOrderFormat: RowFormat<OrderRecord> = {
  table: "petstore_orders",
  key: { id: "bigint" },
  columns: { state: "text", pet_id: "bigint", quantity: "bigint", ship_date: "text", version: "bigint" },
  values: (order) => [order.id, ...values(order)]
}

export const orderFormat: RowFormat<OrderRecord> = {
  ...changedOrderFormat,
  columns: { ...changedOrderFormat.columns, owner: "text" },
  values: (order) => [order.id, ...values(order), order.owner]
}

export const orderRows = (sql: Sql): OrderRows => {
  const insertOrder = sql.insert(insert)
  const updateOrder = sql.run(update)
  return {
    find: sql.first(selectVisible, toOrder),
    lock: sql.lock(selectVisible, toOrder),
    list: (query) => {
      const { text, values } = sql.merge(select, ranges(query), query.limit)
      return sql.all(text, toOrder)(...values)
    },
    insert: (order) => insertOrder(...values(order), order.owner),
    save: (order) => updateOrder(...values(order), order.id),
    owners: (ids) => {
      const one = oneOf("id", ids)
      return sql.all(`${selectOwners} AND ${one.condition}`, ({ id, owner }: OwnedOrder) => ({ id, owner }))(
        ...one.values
      )
    },
    scan: sql.all(selectAll, toOrder)
  }
}
