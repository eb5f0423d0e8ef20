// What the peers do with the tables of a petstore: the statements and the rules that an application would write by hand.

import { hash } from "node:crypto"
import { type Database, prepare } from "./Database.ts"
import { eventRow, openEvents } from "./Events.ts"
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

interface StoredResult {
  readonly operation: string
  readonly fingerprint: Uint8Array
  readonly answer: string
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

const petOf = ({ category_id, id, name, status }: PetRow) => ({ id, name, categoryId: category_id, status })

/** A pet with its stock, and its entity tag. */
export const bodyOf = (row: StockRow) => ({
  body: {
    ...petOf(row),
    inventory: {
      petId: row.id,
      quantity: row.on_hand,
      status: row.status,
      reserved: row.reserved,
      available: available(row)
    }
  },
  tag: `"p${row.version}-s${row.stock_version}"`
})

/** The rows that an order writes, for peers that write them by a library. Throws if the order is not possible. */
export const rowsOfOrder = (pet: StockRow | undefined, { petId, quantity }: NewOrder, { actor, owner }: Caller) => {
  if (pet === undefined) throw new Conflict("unknown_pet")
  if (available(pet) < quantity) throw new Conflict("insufficient_stock")
  const now = Date.now()
  const at = new Date(now).toISOString()
  const reserved = pet.reserved + quantity
  const free = pet.on_hand - reserved
  const status = statusOf(pet.on_hand, free)
  const [stock_version, seq] = [pet.stock_version + 1, pet.last_movement + 1]
  const movement = { pet_id: petId, seq, kind: "reserved", delta_on_hand: 0, delta_reserved: quantity, actor, at }
  return {
    order: { pet_id: petId, quantity, state: "open", version: 1, created_at: at, updated_at: at, owner },
    stock: { reserved, status, stock_version, last_movement: seq },
    /** Once the order has this id. */
    placed: (id: number) => ({
      movement: { ...movement, order_id: id },
      events: [
        eventRow("order.placed", now, [id, petId, quantity, false, "open", 1]),
        eventRow("inventory.updated", now, [petId, pet.on_hand, status, reserved, free, false, stock_version])
      ],
      result: { id, petId, quantity, complete: false } as const
    })
  }
}

/** Prepares the statements of a shop. */
export const openShop = (database: Database) => {
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
    "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, expires_at, version, created_at, updated_at, owner) VALUES ('open', ?, ?, NULL, ?, 1, ?, ?, ?)"
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
  const findResult = prepare<StoredResult>(
    database,
    "SELECT operation, fingerprint, answer FROM petstore_idempotency WHERE account_id = ? AND key = ?"
  )
  const insertResult = prepare(
    database,
    "INSERT INTO petstore_idempotency (account_id, key, operation, fingerprint, answer, created_at) VALUES (?, ?, 'orders.place', ?, ?, ?)"
  )
  const save = prepare(database, "SAVEPOINT batch")
  const undo = prepare(database, "ROLLBACK TO batch")
  const keep = prepare(database, "RELEASE batch")
  const record = openEvents(database)
  /** Writes an order, in a transaction that the caller has begun. Throws before its first write if it is not possible. */
  const place = ({ petId, quantity }: NewOrder, caller: Caller, reserveFor?: number): PlacedOrder => {
    const pet = findStock.get(petId)
    if (pet === undefined) throw new Conflict("unknown_pet")
    if (pet.held === 1 || pet.on_hand === 0) throw new Conflict("pet_not_available")
    if (available(pet) < quantity) throw new Conflict("insufficient_stock")
    const now = Date.now()
    const at = new Date(now).toISOString()
    const expiresAt = reserveFor === undefined ? null : new Date(now + reserveFor).toISOString()
    const reserved = pet.reserved + quantity
    const stockVersion = pet.stock_version + 1
    const seq = pet.last_movement + 1
    const id = Number(insertOrder.run(petId, quantity, expiresAt, at, at, caller.owner).lastInsertRowid)
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

  return {
    petWithStock: (id: number) => {
      const row = findStock.get(id)
      return row === undefined ? undefined : bodyOf(row)
    },
    /** One row more than the page has shows whether there is a next one. */
    page: (status: string, after: number) => {
      const rows = listPets.all(status, after, pageLength + 1)
      const items = rows.slice(0, pageLength).map(petOf)
      return { items, next: rows.length > pageLength ? items.at(-1)?.id : undefined }
    },
    place,
    /** All orders, or none. */
    placeAll: (orders: ReadonlyArray<NewOrder>, caller: Caller): ReadonlyArray<PlacedOrder> => {
      save.run()
      try {
        return orders.map((order) => place(order, caller))
      } catch (error) {
        undo.run()
        throw error
      } finally {
        keep.run()
      }
    },
    /** The result of the first request with this key, or else an order. */
    placeOnce: (key: string, order: NewOrder, caller: Caller): PlacedOrder => {
      const fingerprint = hash("sha256", JSON.stringify([order.petId, order.quantity]), "buffer")
      const known = findResult.get(caller.owner, key)
      if (known !== undefined) {
        if (known.operation === "orders.place" && fingerprint.equals(known.fingerprint)) return JSON.parse(known.answer)
        throw new Conflict("idempotency_key_reused")
      }
      const placed = place(order, caller)
      const answer = JSON.stringify({ ...placed, version: 1 })
      insertResult.run(caller.owner, key, fingerprint, answer, new Date().toISOString())
      return placed
    }
  }
}

export type Shop = ReturnType<typeof openShop>

/** What all peers serve. */
export type ServedShop = Pick<Shop, "petWithStock" | "place">

/** Runs work in a transaction of its own. */
export const transactionEach = (database: Database) => {
  const begin = prepare(database, "BEGIN IMMEDIATE")
  const commit = prepare(database, "COMMIT")
  const rollback = prepare(database, "ROLLBACK")
  return <A>(work: () => A): A => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      rollback.run()
      throw error
    }
  }
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** Runs all work that arrives in one turn of the event loop in one transaction. Work that throws a conflict has written nothing. */
export const transactionTogether = (database: Database) => {
  const together = transactionEach(database)
  let queue: Array<Waiting> = []
  const attempt = ({ reject, resolve, work }: Waiting): (() => void) => {
    try {
      const result = work()
      return () => resolve(result as never)
    } catch (error) {
      if (error instanceof Conflict) return () => reject(error)
      throw error
    }
  }
  const run = (): void => {
    const members = queue
    queue = []
    try {
      const settle = together(() => members.map(attempt))
      for (const each of settle) each()
    } catch (error) {
      for (const { reject } of members) reject(error)
    }
  }
  return <A>(work: () => A): Promise<A> =>
    new Promise((resolve, reject) => {
      if (queue.push({ work, resolve, reject }) === 1) setImmediate(run)
    })
}
