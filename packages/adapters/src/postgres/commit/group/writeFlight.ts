import type { PetRecord } from "@petstore/core/ports"
import { sameButStock } from "../../../sql/PetRows.ts"
import type { Additions } from "./Additions.ts"
import type { GroupStatements } from "./GroupStatements.ts"
import type { GroupTables } from "./GroupTables.ts"
import type { Prepared, Write } from "./writes.ts"

/** Prepares a statement when it is about to be sent: the server works on one while the next is made. */
export type Preparation = () => Prepared

const prepare = <A>(write: Write<A>, records: ReadonlyArray<A>): ReadonlyArray<Preparation> =>
  records.length === 0 ? [] : [() => write(records)]

/**
 * The statements that write what bodies that have ended have added so far. What they return is written: it does not belong to
 * {@link writesOf} any more.
 */
export const additionsOf = (
  statements: GroupStatements,
  tables: GroupTables,
  { movements }: Additions
): ReadonlyArray<Preparation> => [
  ...prepare(statements.insertPets, tables.pets.takeAdded()),
  ...prepare(statements.insertOrders, tables.orders.takeAdded()),
  ...prepare(statements.insertMovements, movements.splice(0))
]

/**
 * The statements that write what the bodies of a group have changed and added, without the events. Rows come before those
 * that refer to them, and those before changes of rows: a check of a reference locks the row that it finds, which costs
 * nothing as long as it is the version that the group has locked.
 */
export const writesOf = (
  statements: GroupStatements,
  tables: GroupTables,
  { messages, movements, purges }: Additions
): ReadonlyArray<Preparation> => {
  const orders = tables.orders.changes()
  const pets = tables.pets.changes()
  const keys = tables.keys.changes()
  const changedPets = (isStock: boolean): ReadonlyArray<PetRecord> =>
    pets.changed.flatMap(([stored, record]) => (sameButStock(stored, record) === isStock ? [record] : []))

  return [
    ...prepare(statements.insertPets, pets.added),
    ...prepare(statements.insertOrders, orders.added),
    ...prepare(statements.insertMovements, movements),
    ...prepare(statements.updateOrders, orders.changed.map(recordOf)),
    ...prepare(statements.updatePetStocks, changedPets(true)),
    ...prepare(statements.updatePets, changedPets(false)),
    ...prepare(statements.insertMessages, messages),
    ...prepare(statements.saveKeys, [...keys.added, ...keys.changed.map(recordOf)]),
    ...purges.map((purge) => () => statements.purge(purge))
  ]
}

const recordOf = <A>([, record]: readonly [stored: A, record: A]): A => record
