// What the peers do with the tables of a petstore: the statements and the rules that an application would write by hand.

import { type Database, prepare } from "./Database.ts"
import { openEvents } from "./Events.ts"
import type { Caller } from "./Guard.ts"

interface PetRow {
  readonly id: number
  readonly name: string
  readonly category_id: number
  readonly status: string
  readonly version: number
}

interface StockRow extends PetRow {
  readonly on_hand: number
  readonly reserved: number
  readonly held: number
  readonly stock_version: number
  readonly last_movement: number
}

export interface NewOrder {
  readonly petId: number
  readonly quantity: number
}

export interface PlacedOrder extends NewOrder {
  readonly id: number
  readonly complete: false
}

/** An order that is not possible. Nothing has been written when it is thrown. */
export class Conflict extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const pageLength = 20

const available = ({ held, on_hand, reserved }: StockRow): number => (held === 1 ? 0 : on_hand - reserved)

const statusOf = (onHand: number, free: number): string =>
  onHand === 0 ? "sold" : free === 0 ? "pending" : "available"

/** Prepares the statements of a shop. */
export const openShop = (database: Database) => {
  const findPet = prepare<PetRow>(
    database,
    "SELECT id, name, category_id, status, version FROM petstore_pets WHERE id = ? AND NOT deleted"
  )
  const findStock = prepare<StockRow>(
    database,
    "SELECT id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement FROM petstore_pets WHERE id = ? AND NOT deleted"
  )
  const listPets = prepare<PetRow>(
    database,
    "SELECT id, name, category_id, status, version FROM petstore_pets WHERE status = ? AND id > ? AND NOT deleted ORDER BY id LIMIT ?"
  )
  const insertOrder = prepare(
    database,
    "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, expires_at, version, created_at, updated_at, owner) VALUES ('open', ?, ?, NULL, NULL, 1, ?, ?, ?)"
  )
  const insertMovement = prepare(
    database,
    "INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES (?, ?, 'reserved', 0, ?, ?, ?, ?)"
  )
  const updateStock = prepare(
    database,
    "UPDATE petstore_pets SET reserved = ?, stock_version = ?, last_movement = ? WHERE id = ?"
  )
  const updateStatus = prepare(
    database,
    "UPDATE petstore_pets SET status = ?, version = ?, updated_at = ?, reserved = ?, stock_version = ?, last_movement = ? WHERE id = ?"
  )
  const record = openEvents(database)
  const petOf = ({ category_id, id, name, status }: PetRow) => ({ id, name, categoryId: category_id, status })
  const inventoryOf = (row: StockRow) => ({
    petId: row.id,
    quantity: row.on_hand,
    status: row.status,
    reserved: row.reserved,
    available: available(row)
  })

  return {
    pet: (id: number) => {
      const row = findPet.get(id)
      return row === undefined ? undefined : { body: petOf(row), tag: `"p${row.version}"` }
    },
    petWithStock: (id: number) => {
      const row = findStock.get(id)
      if (row === undefined) return undefined
      return { body: { ...petOf(row), inventory: inventoryOf(row) }, tag: `"p${row.version}-s${row.stock_version}"` }
    },
    /** One row more than the page has shows whether there is a next one. */
    page: (status: string, after: number) => {
      const rows = listPets.all(status, after, pageLength + 1)
      const items = rows.slice(0, pageLength).map(petOf)
      return { items, next: rows.length > pageLength ? items.at(-1)?.id : undefined }
    },
    /** Writes an order, in a transaction that the caller has begun. Throws before its first write if it is not possible. */
    place: ({ petId, quantity }: NewOrder, caller: Caller): PlacedOrder => {
      const pet = findStock.get(petId)
      if (pet === undefined) throw new Conflict("unknown_pet")
      if (pet.held === 1 || pet.on_hand === 0) throw new Conflict("pet_not_available")
      if (available(pet) < quantity) throw new Conflict("insufficient_stock")
      const now = Date.now()
      const at = new Date(now).toISOString()
      const reserved = pet.reserved + quantity
      const stockVersion = pet.stock_version + 1
      const seq = pet.last_movement + 1
      const id = Number(insertOrder.run(petId, quantity, at, at, caller.owner).lastInsertRowid)
      const status = statusOf(pet.on_hand, pet.on_hand - reserved)
      if (status === pet.status) updateStock.run(reserved, stockVersion, seq, petId)
      else updateStatus.run(status, pet.version + 1, at, reserved, stockVersion, seq, petId)
      insertMovement.run(petId, seq, quantity, id, caller.actor, at)
      record("order.placed", now, [id, petId, quantity, false, "open", 1])
      record("inventory.updated", now, [
        petId,
        pet.on_hand,
        status,
        reserved,
        pet.on_hand - reserved,
        false,
        stockVersion
      ])
      if (status !== pet.status)
        record("pet.updated", now, [petId, pet.name, pet.category_id, status, pet.version + 1, pet.status])
      return { id, petId, quantity, complete: false }
    }
  }
}

export type Shop = ReturnType<typeof openShop>

/** Each order in a transaction of its own. */
export const placeAlone = (database: Database, shop: Shop) => {
  const begin = prepare(database, "BEGIN IMMEDIATE")
  const commit = prepare(database, "COMMIT")
  const rollback = prepare(database, "ROLLBACK")
  return (order: NewOrder, caller: Caller): PlacedOrder => {
    begin.run()
    try {
      const placed = shop.place(order, caller)
      commit.run()
      return placed
    } catch (error) {
      rollback.run()
      throw error
    }
  }
}

interface Waiting {
  readonly order: NewOrder
  readonly caller: Caller
  readonly resolve: (order: PlacedOrder) => void
  readonly reject: (error: unknown) => void
}

/** All orders that arrive in one turn of the event loop in one transaction. Results wait for its commit. */
export const placeTogether = (database: Database, shop: Shop) => {
  const begin = prepare(database, "BEGIN IMMEDIATE")
  const commit = prepare(database, "COMMIT")
  const rollback = prepare(database, "ROLLBACK")
  let queue: Array<Waiting> = []
  const run = (): void => {
    const members = queue
    queue = []
    const settle: Array<() => void> = []
    try {
      begin.run()
      for (const { caller, order, reject, resolve } of members) {
        try {
          const placed = shop.place(order, caller)
          settle.push(() => resolve(placed))
        } catch (error) {
          if (!(error instanceof Conflict)) throw error
          settle.push(() => reject(error))
        }
      }
      commit.run()
    } catch (error) {
      rollback.run()
      for (const { reject } of members) reject(error)
      return
    }
    for (const each of settle) each()
  }
  return (order: NewOrder, caller: Caller): Promise<PlacedOrder> =>
    new Promise((resolve, reject) => {
      if (queue.push({ order, caller, resolve, reject }) === 1) setImmediate(run)
    })
}
