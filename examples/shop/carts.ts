import type { DatabaseSync } from "node:sqlite"
import type { Order } from "@petstore/core"
import { type Customer, userOf } from "./customers.ts"
import type { Database } from "./database.ts"

/** The cart that the customer fills now, if there is one. */
export const currentCart = (db: DatabaseSync, { id }: Customer): number | undefined => {
  const row = db.prepare("SELECT id FROM carts WHERE customer_id = ?").get(id)
  return row && Number(row.id)
}

export const linesOf = (db: DatabaseSync, { id }: Customer, cartId: number) =>
  db
    .prepare(
      `SELECT pet_id, quantity FROM carts JOIN cart_lines ON cart_id = carts.id
        WHERE carts.id = ? AND customer_id = ? AND quantity > 0 ORDER BY pet_id`
    )
    .all(cartId, id)
    .map((row) => ({ petId: Number(row.pet_id), quantity: Number(row.quantity) }))

/** Sets how many units of a pet are in the cart; 0 removes it. */
export const setLine = (
  { transaction }: Database,
  customer: Customer,
  petId: number,
  quantity: number
): Promise<void> =>
  transaction((db) => {
    const insert = db.prepare("INSERT INTO carts (customer_id) VALUES (?)")
    const cartId = currentCart(db, customer) ?? insert.run(customer.id).lastInsertRowid
    const set = "INSERT INTO cart_lines VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET quantity = excluded.quantity"
    db.prepare(set).run(cartId, petId, quantity)
  })

/**
 * Orders what is in a cart, and removes the cart: everything, or nothing. A cart that is submitted twice is ordered once. The orders
 * expire if they are not paid in time.
 */
export const checkout = (
  { petstore, transaction }: Database,
  customer: Customer,
  cartId: number
): Promise<ReadonlyArray<Order>> =>
  transaction((db, tx) => {
    const own = petstore.as(userOf(customer))
    const order = async () => {
      const options = { reserveFor: "15 minutes", transaction: tx } as const
      const orders = await own.orders.placeAll(linesOf(db, customer, cartId), options)
      db.prepare("DELETE FROM carts WHERE id = ?").run(cartId)
      return orders
    }
    return own.once(`cart-${cartId}`, order, { transaction: tx })
  })
