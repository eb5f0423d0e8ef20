import type { Movement, MovementKind } from "@petstore/core/domain"
import type { MovementRows } from "@petstore/core/ports"
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
const insert = `INSERT INTO petstore_movements
  (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

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

export const movementRows = (sql: Sql): MovementRows => {
  const insertMovement = sql.run(insert)
  const all = sql.all(selectAll, toMovement)
  return {
    append: (movement) =>
      insertMovement(
        movement.petId,
        movement.seq,
        movement.kind,
        movement.deltaOnHand,
        movement.deltaReserved,
        movement.orderId,
        movement.actor,
        movement.at
      ),
    list: sql.all(selectOfPet, toMovement),
    scan: ({ petId, seq }, limit) => all(petId, seq, limit)
  }
}
