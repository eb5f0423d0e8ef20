import { tables } from "../../../sql/tableText.ts"
import type { GroupStatements } from "./GroupStatements.ts"
import type { HeldRows } from "./HeldRows.ts"
import type { Prepared } from "./writes.ts"

/** Prepares a statement when it is about to be sent: the server works on one while the next is made. */
export type Preparation = () => Prepared | undefined

const inOrder = [...tables.values()]
const reversed = inOrder.toReversed()

/**
 * The statements that write what the commands of a group have changed and added, without the events. Rows come before those
 * that refer to them, and those before changes of rows: a check of a reference locks the row that it finds, which costs
 * nothing as long as it is the version that the group has locked.
 */
export const writesOf = (statements: GroupStatements, held: HeldRows): ReadonlyArray<Preparation> => {
  const preparations: Array<Preparation> = []
  for (const { existing, name } of inOrder) {
    const table = held.find(name)
    const changed = existing === "replaced" ? (table?.changed() ?? []).map(([, row]) => row) : []
    const added = [...(table?.added() ?? []), ...(held.appended.get(name) ?? []), ...changed]
    if (added.length > 0) preparations.push(() => statements.of(name).insert(added))
  }
  for (const { existing, name } of reversed) {
    const changed = existing === "replaced" ? [] : (held.find(name)?.changed() ?? [])
    if (changed.length > 0) preparations.push(() => statements.of(name).update(changed))
  }
  for (const { before, limit, purge } of held.purges) {
    preparations.push(() => statements.of(purge).purge(before, limit))
  }
  return preparations
}
