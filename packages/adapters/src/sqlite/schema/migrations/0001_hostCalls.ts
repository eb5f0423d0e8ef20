import { eventTarget } from "../../../sql/EventRows.ts"
import type { RowTarget } from "../../../sql/RowTarget.ts"
import { type AnyTable, changingColumns, insertionInto, nameOf, tables } from "../../../sql/tableText.ts"

/** What calls in transactions of libraries did to the rows of one table, which triggers replayed. */
interface RowChange {
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
const rowChangesOf = (table: AnyTable) => {
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
const eventInsertion: RowChange = insertionOf(eventTarget)

/** A table that calls write to: what they do, and the columns of bytes, which JSON has in hexadecimal. */
interface ReplayedTable {
  readonly table: string
  readonly changes: ReadonlyArray<RowChange>
  readonly bytes: ReadonlyArray<string>
  /** Whether the call determines the ids of new rows. */
  readonly hasIds?: boolean
}

const replayedTable = (table: AnyTable): ReplayedTable => ({
  table: nameOf(table),
  changes: Object.values(rowChangesOf(table)),
  bytes: Object.entries(table.columns).flatMap(([name, { type }]) => (type === "bytes" ? [name] : [])),
  hasIds: table.generatesIds
})

const replayedTables: ReadonlyArray<ReplayedTable> = [
  ...[...tables.values()].map(replayedTable),
  { table: eventInsertion.table, changes: [eventInsertion], bytes: [] }
]

const bareName = (table: string): string => table.replace("petstore_", "")

/** The statement that does a write of a call, whose values are a list in JSON. */
const replayText = ({ bytes, hasIds }: ReplayedTable, { columns, end, key, table, verb }: RowChange): string => {
  const value = (name: string, index: number): string =>
    bytes.includes(name) ? `unhex(NEW.vals ->> ${index})` : `NEW.vals ->> ${index}`
  const assigned = (names: ReadonlyArray<string>, separator: string, first = 0): string =>
    names.map((name, index) => `${name} = ${value(name, first + index)}`).join(separator)
  switch (verb) {
    case "insert": {
      const names = hasIds === true ? ["id", ...columns] : columns
      const values = [...(hasIds === true ? ["NEW.id"] : []), ...columns.map(value)]
      return `INSERT INTO ${table} (${names.join(", ")})
    VALUES (${values.join(", ")})${end}`
    }
    case "update":
      return `UPDATE ${table} SET ${assigned(columns, ", ")}
    WHERE ${assigned(key, " AND ", columns.length)}`
    case "delete":
      return `DELETE FROM ${table} WHERE ${assigned(columns, " AND ")}`
  }
}

const replay = (table: ReplayedTable, change: RowChange): string => `
CREATE TRIGGER petstore_replay_${change.name.replaceAll(" ", "_")} INSTEAD OF INSERT ON petstore_replay_${bareName(table.table)} WHEN NEW.write = '${change.name}'
  BEGIN ${replayText(table, change)}; END;`

// SQLite runs the newest trigger of a change first: a table before those that refer to it.
const replays = replayedTables.toReversed().map((table) => {
  const name = bareName(table.table)
  return `
CREATE VIEW petstore_replay_${name} (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_${name} AFTER UPDATE OF ${name} ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_${name} (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.${name}) ORDER BY key; END;${table.changes.map((change) => replay(table, change)).join("")}
`
})

const columns = replayedTables.map(
  ({ table }) => `${bareName(table)} TEXT CHECK (json_type(${bareName(table)}) = 'array')`
)

/**
 * What calls in transactions of libraries needed before they were one statement: a row that made COMMIT fail while a call ran, and
 * triggers that replayed what the call wrote. {@link withoutHostCalls} drops it.
 */
export const hostCalls = `
CREATE TABLE petstore_host_calls (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_calls (token) DEFERRABLE INITIALLY DEFERRED,
  ${columns.join(",\n  ")}
) STRICT, WITHOUT ROWID;
${replays.join("")}`

/** With a table or view, SQLite drops its triggers. */
export const withoutHostCalls = [
  "DROP TABLE petstore_host_calls",
  ...replayedTables.map(({ table }) => `DROP VIEW petstore_replay_${bareName(table)}`)
].join(";\n")
