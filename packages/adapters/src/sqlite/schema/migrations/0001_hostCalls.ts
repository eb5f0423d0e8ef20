import { type AnyTable, nameOf, tables } from "../../../sql/tableText.ts"
import { eventInsertion, type RowChange, rowChangesOf } from "../../statements/RowChange.ts"

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
 * A call in a transaction of a library of the host has a row in petstore_host_calls. While that row exists, COMMIT fails,
 * because it refers to a row that cannot exist. The call writes by one statement: it sets the column of each table to an
 * array of what to do there, and triggers replay that. There is a column for each table, because SQLite prepares the
 * triggers of the columns that are set.
 */
export const hostCalls = `
CREATE TABLE petstore_host_calls (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_calls (token) DEFERRABLE INITIALLY DEFERRED,
  ${columns.join(",\n  ")}
) STRICT, WITHOUT ROWID;
${replays.join("")}`
