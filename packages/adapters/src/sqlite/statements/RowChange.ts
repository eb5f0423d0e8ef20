import { eventTarget } from "../../sql/EventRows.ts"
import type { RowTarget } from "../../sql/RowTarget.ts"
import { type AnyTable, changingColumns, insertionInto, nameOf } from "../../sql/tableText.ts"

/** What a call in a transaction of the host application does to the rows of one table, which triggers replay. */
export interface RowChange {
  readonly name: string
  readonly table: string
  readonly verb: "insert" | "update" | "delete"
  /** Which column each value is for; of a delete, those of the key. */
  readonly columns: ReadonlyArray<string>
  /** The columns of the key, whose values follow those of an update; none for other verbs. */
  readonly key: ReadonlyArray<string>
  /** What follows the values of an insertion, for rows that exist. */
  readonly end: string
}

const rowChange = (
  verb: RowChange["verb"],
  table: string,
  columns: ReadonlyArray<string>,
  { end = "", key = [] }: Partial<RowChange> = {}
): RowChange => ({ name: `${verb} ${table.replace("petstore_", "")}`, table, verb, columns, key, end })

const insertionOf = ({ columns, end = "", table }: RowTarget): RowChange =>
  rowChange(
    "insert",
    table,
    columns.map(({ name }) => name),
    { end }
  )

/** The changes of the rows of a table. The id of a new row, if it gets one, is none of the values. */
export const rowChangesOf = (table: AnyTable) => {
  const [name, { key }] = [nameOf(table), table]
  return {
    insert: insertionOf(insertionInto(table).target),
    update: rowChange(
      "update",
      name,
      changingColumns(table).map(([column]) => column),
      { key }
    ),
    delete: rowChange("delete", name, key)
  }
}

/** Adds an event. */
export const eventInsertion: RowChange = insertionOf(eventTarget)
