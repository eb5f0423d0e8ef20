import type { IdempotencyRecord } from "@petstore/core/ports"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import type { ContendedRows } from "./ContendedRows.ts"
import type { GroupStatements, Read } from "./GroupStatements.ts"
import { type GroupTables, keyOf } from "./GroupTables.ts"
import type { HeldRow, RowHolder } from "./HeldRow.ts"
import type { HeldTable } from "./HeldTable.ts"
import type { LeavingReason } from "./leaving.ts"

/** How a group locks rows. */
export interface LockFlight {
  readonly connection: Pick<PostgresConnection, "query">
  readonly statements: GroupStatements
  readonly tables: GroupTables
  /** Whether to wait for other transactions; otherwise the bodies that want their rows leave the group. */
  readonly waits: boolean
  readonly leave: (body: RowHolder, reason: LeavingReason) => void
  readonly contended: ContendedRows
  /** Whether rows that are left out count as contended: a transaction has them that a group has waited for in vain. */
  readonly notesContended: boolean
}

/**
 * Locks the rows that bodies wait for, in one round trip, and hands them out. All transactions lock keys, then orders, then
 * pets, then categories, each in ascending order, so that no two wait for each other. A group waits in its first flight
 * only, since rows that it wants later may come before those that it has.
 *
 * The pets of orders are locked along with them, because nearly every body that wants an order wants its pet next.
 */
export const lockWanted = async (requested: LockFlight): Promise<void> => {
  const { connection, contended, statements, tables } = requested
  const read = async <A>({ decode, text, values }: Read<A>): Promise<A> => decode(await connection.query(text, values))
  const keys = tables.keys.takeWanted()
  const orders = tables.orders.takeWanted()
  const pets = tables.pets.takeWanted()
  const categories = tables.categories.takeWanted()
  const waits =
    requested.waits &&
    !orders.some(({ key }) => contended.has("orders", key)) &&
    !pets.some(({ key }) => contended.has("pets", key)) &&
    !categories.some(({ key }) => contended.has("categories", key))
  const flight = { ...requested, waits }
  const { missing: missingPetIds } = tables.petIds
  const { missing: missingOrderIds } = tables.orderIds

  const petLock =
    orders.length > 0
      ? statements.lockPetsAndThoseOf(idsOf(pets), idsOf(orders), waits)
      : statements.lockPets(idsOf(pets), waits)
  const [claimed, records, foundOrders, foundPets, foundCategories, petIds, orderIds] = await Promise.all([
    keys.length === 0 ? none : read(statements.claimKeys(idsOf(keys))),
    keys.length === 0 ? none : read(statements.findRecords(idsOf(keys))),
    orders.length === 0 ? none : read(statements.lockOrders(idsOf(orders), waits)),
    orders.length + pets.length === 0 ? none : read(petLock),
    categories.length === 0 ? none : read(statements.shareCategories(idsOf(categories), waits)),
    missingPetIds === 0 ? none : read(statements.newIds("pets", missingPetIds)),
    missingOrderIds === 0 ? none : read(statements.newIds("orders", missingOrderIds))
  ])

  tables.isUnlocked = false
  const found = new Map(records.map((record) => [keyOf(record.accountId, record.key), record]))
  const isClaimed = (key: number | string) => claimed.some((one) => one === key)
  for (const row of keys) handKey(flight, row, isClaimed(row.key), found.get(String(row.key)))
  hand(flight, "orders", tables.orders, orders, foundOrders, ({ id }) => id)
  hand(flight, "pets", tables.pets, pets, foundPets, ({ id }) => id)
  hand(flight, "categories", tables.categories, categories, foundCategories, ({ category }) => category.id)
  tables.petIds.add(petIds)
  tables.orderIds.add(orderIds)
}

// Of any type: it contains nothing.
const none: ReadonlyArray<never> = []

const idsOf = (rows: ReadonlyArray<HeldRow<unknown>>) => rows.map(({ key }) => key)

const hand = <A>(
  flight: LockFlight,
  name: "orders" | "pets" | "categories",
  table: HeldTable<A>,
  rows: ReadonlyArray<HeldRow<A>>,
  found: ReadonlyArray<A>,
  idOf: (record: A) => number
): void => {
  const records = new Map(found.map((record) => [idOf(record), record]))
  for (const row of rows) {
    const id = Number(row.key)
    const record = records.get(id)
    records.delete(id)
    // One that is left out may be locked by another transaction, or not exist.
    if (record !== undefined || flight.waits) {
      row.locked(record)
    } else {
      if (flight.notesContended) flight.contended.add(name, row.key)
      refuse(flight, table, row)
    }
  }
  for (const [id, record] of records) if (table.find(id) === undefined) table.add(id).locked(record)
}

const handKey = (
  flight: LockFlight,
  row: HeldRow<IdempotencyRecord>,
  isClaimed: boolean,
  record: IdempotencyRecord | undefined
): void => {
  const { keys, assumptions } = flight.tables
  const body = assumptions.get(row)
  if (!isClaimed) refuse(flight, keys, row)
  if (body !== undefined && (!isClaimed || record !== undefined)) flight.leave(body, isClaimed ? "again" : "busy")
  if (isClaimed) row.locked(record)
}

const refuse = <A>(flight: LockFlight, table: HeldTable<A>, row: HeldRow<A>): void => {
  table.remove(row)
  row.refuse((body) => flight.leave(body, "busy"))
}
