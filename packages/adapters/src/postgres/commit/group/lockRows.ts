import { storedKeyOf } from "@petstore/core/domain"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import type { ContendedRows } from "./ContendedRows.ts"
import type { GroupStatements, Read } from "./GroupStatements.ts"
import type { HeldRows } from "./HeldRows.ts"
import type { HeldTable, Key } from "./HeldTable.ts"

/** How a group locks rows. */
export interface Locking {
  readonly connection: Pick<PostgresConnection, "query">
  readonly statements: GroupStatements
  readonly contended: ContendedRows
  /** Whether to wait for other transactions; otherwise rows that they have are refused. */
  readonly waits: boolean
  /** Whether rows that are refused count as contended: a transaction has them that a group has waited for in vain. */
  readonly notesContended: boolean
}

/**
 * Locks the rows that commands of a group want, in one round trip. All transactions lock keys, then orders, then pets, then
 * categories, each in ascending order, so that no two wait for each other. A group waits in its first round trip only, since rows
 * that it wants later may come before those that it has.
 *
 * The pets of orders are locked along with them, because nearly every command that wants an order wants its pet next.
 */
export const lockRows = async (held: HeldRows, locking: Locking): Promise<void> => {
  const { connection, contended, statements } = locking
  const read = async <A>({ decode, text, values }: Read<A>): Promise<A> => decode(await connection.query(text, values))
  const keys = held.idempotency.takeWanted()
  const orders = held.orders.takeWanted()
  const pets = held.pets.takeWanted()
  const categories = held.categories.takeWanted()
  const waits =
    locking.waits &&
    !orders.some((id) => contended.has("orders", id)) &&
    !pets.some((id) => contended.has("pets", id)) &&
    !categories.some((id) => contended.has("categories", id))
  const missingPets = held.ids.pets.missing
  const missingOrders = held.ids.orders.missing

  const petLock =
    orders.length > 0 ? statements.lockPetsAndThoseOf(pets, orders, waits) : statements.lockPets(pets, waits)
  const [claimed, records, foundOrders, foundPets, foundCategories, petIds, orderIds] = await Promise.all([
    keys.length === 0 ? none : read(statements.claimKeys(keys)),
    keys.length === 0 ? none : read(statements.findRecords(keys)),
    orders.length === 0 ? none : read(statements.lockOrders(orders, waits)),
    orders.length + pets.length === 0 ? none : read(petLock),
    categories.length === 0 ? none : read(statements.shareCategories(categories, waits)),
    missingPets === 0 ? none : read(statements.newIds("pets", missingPets)),
    missingOrders === 0 ? none : read(statements.newIds("orders", missingOrders))
  ])

  const own = new Set(claimed)
  const stored = new Map(records.map((record) => [storedKeyOf(record), record]))
  for (const key of keys) {
    if (own.has(key)) held.idempotency.locked(key, stored.get(String(key)))
    else held.idempotency.refuse(key)
  }
  const take = <Row>(
    name: "orders" | "pets" | "categories",
    wanted: ReadonlyArray<Key>,
    found: ReadonlyArray<Row>,
    idOf: (row: Row) => number
  ): void => {
    // The compiler does not see that the name decides the type.
    const table = held[name] as unknown as HeldTable<Row>
    for (const row of found) table.locked(idOf(row), row)
    for (const id of wanted) {
      // One that is left out may be locked by another transaction, or not exist.
      if (waits) table.locked(id, undefined)
      else if (table.find(id) === undefined) {
        table.refuse(id)
        if (locking.notesContended) contended.add(name, id)
      }
    }
  }
  take("orders", orders, foundOrders, ({ id }) => id)
  take("pets", pets, foundPets, ({ id }) => id)
  take("categories", categories, foundCategories, ({ category }) => category.id)
  held.ids.pets.add(petIds)
  held.ids.orders.add(orderIds)
}

// Of any type: it contains nothing.
const none: ReadonlyArray<never> = []
