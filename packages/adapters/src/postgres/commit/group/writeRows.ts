import { sameButStock } from "../../../sql/PetRows.ts"
import type { GroupStatements } from "./GroupStatements.ts"
import type { HeldRows } from "./HeldRows.ts"
import type { Prepared, Write } from "./writes.ts"

/** Prepares a statement when it is about to be sent: the server works on one while the next is made. */
export type Preparation = () => Prepared

const prepare = <A>(write: Write<A>, rows: ReadonlyArray<A>): ReadonlyArray<Preparation> =>
  rows.length === 0 ? [] : [() => write(rows)]

/**
 * The statements that write what the commands of a group have changed and added, without the events. Rows come before those
 * that refer to them, and those before changes of rows: a check of a reference locks the row that it finds, which costs
 * nothing as long as it is the version that the group has locked.
 */
export const writesOf = (statements: GroupStatements, held: HeldRows): ReadonlyArray<Preparation> => {
  const pets = held.pets.changed()
  const rowOf = <A>([, row]: readonly [stored: A, row: A]): A => row
  return [
    ...prepare(statements.insertPets, held.pets.added()),
    ...prepare(statements.insertOrders, held.orders.added()),
    ...prepare(statements.insertMovements, held.movements),
    ...prepare(statements.updateOrders, held.orders.changed().map(rowOf)),
    ...prepare(statements.updatePetStocks, pets.filter(([stored, row]) => sameButStock(stored, row)).map(rowOf)),
    ...prepare(statements.updatePets, pets.filter(([stored, row]) => !sameButStock(stored, row)).map(rowOf)),
    ...prepare(statements.insertMessages, held.messages),
    ...prepare(statements.saveKeys, [...held.idempotency.added(), ...held.idempotency.changed().map(rowOf)]),
    ...held.purges.map((purge) => () => statements.purge(purge))
  ]
}
