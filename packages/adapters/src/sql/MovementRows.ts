import type { Movement, MovementKind } from "@petstore/core/domain"
import type { MovementRows } from "@petstore/core/ports"
import type { RowFormat } from "./RowFormat.ts"
import { columnsOf, insertionOf, type RowTarget } from "./RowTarget.ts"
import type { Sql } from "./Sql.ts"

interface MovementRow {
  readonly pet_id: number
  readonly seq: number
  readonly kind: MovementKind
  readonly delta_on_hand: number
  readonly delta_reserved: number
  readonly order_id: number | null
  readonly actor: string
  readonly at: string
}

const select = "SELECT pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at FROM petstore_movements"
const selectOfPet = `${select} WHERE pet_id = ? AND seq > ? ORDER BY seq LIMIT ?`
const selectAll = `${select} WHERE (pet_id, seq) > (?, ?) ORDER BY pet_id, seq LIMIT ?`

const toMovement = (row: MovementRow): Movement => ({
  petId: row.pet_id,
  seq: row.seq,
  kind: row.kind,
  deltaOnHand: row.delta_on_hand,
  deltaReserved: row.delta_reserved,
  ...(row.order_id === null ? {} : { orderId: row.order_id }),
  actor: row.actor,
  at: row.at
})

const values = (movement: Movement) =>
  [
    movement.petId,
    movement.seq,
    movement.kind,
    movement.deltaOnHand,
    movement.deltaReserved,
    movement.orderId,
    movement.actor,
    movement.at
  ] as const

export const movementFormat: RowFormat<Movement> = {
  table: "petstore_movements",
  key: { pet_id: "bigint", seq: "bigint" },
  columns: {
    kind: "text",
    delta_on_hand: "bigint",
    delta_reserved: "bigint",
    order_id: "bigint",
    actor: "text",
    at: "text"
  },
  values
}

export const movementTarget: RowTarget = {
  table: movementFormat.table,
  columns: columnsOf({ ...movementFormat.key, ...movementFormat.columns })
}
const insert = insertionOf(movementTarget)

export const movementRows = (sql: Sql): MovementRows => {
  const insertMovement = sql.run(insert)
  const insertMovements = sql.insertAll(movementTarget)
  const all = sql.all(selectAll, toMovement)
  return {
    append: (movement) => insertMovement(...values(movement)),
    appendAll: (movements) => insertMovements(movements.map(values)),
    list: sql.all(selectOfPet, toMovement),
    scan: ({ petId, seq }, limit) => all(petId, seq, limit)
  }
}
