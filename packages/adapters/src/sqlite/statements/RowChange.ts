/** What a writing statement does to the rows of one table. */
export interface RowChange {
  /** Identifies the statement among the writing statements of a store. */
  readonly name: string
  readonly table: string
  readonly verb: "insert" | "update" | "delete"
  /** Which column each value is for; of a delete, those of the key. */
  readonly columns: ReadonlyArray<string>
  /** The columns of the key, whose values follow those of an update; none for other verbs. */
  readonly key: ReadonlyArray<string>
  /** Finds the keys of the rows that a delete removes. */
  readonly chosen?: string
}

const insertion = /^INSERT INTO (petstore_\w+)\s*\(([^)]*)\)\s*VALUES \([?, ]*\)/
const update = /^UPDATE (petstore_\w+) SET ((?:\w+ = \?,?\s+)+)WHERE (\w+ = \?(?: AND \w+ = \?)*)/
const deletion = /^DELETE FROM (petstore_\w+) WHERE \(([^)]*)\) IN\s+\((SELECT .*)\)$/s

const known = new Map<string, RowChange>()

const list = (names: string): ReadonlyArray<string> => names.split(",").map((name) => name.trim())

const assigned = (text: string): ReadonlyArray<string> => [...text.matchAll(/(\w+) = \?/g)].map(([, name = ""]) => name)

const rowChange = (
  verb: RowChange["verb"],
  table: string,
  columns: ReadonlyArray<string>,
  key: ReadonlyArray<string> = []
): RowChange => ({ name: `${verb} ${table.replace("petstore_", "")}`, table, verb, columns, key })

const parse = (sql: string): RowChange => {
  const [, inserted, names = ""] = insertion.exec(sql) ?? []
  if (inserted !== undefined) return rowChange("insert", inserted, list(names))
  const [, updated, assignments = "", condition = ""] = update.exec(sql) ?? []
  if (updated !== undefined) return rowChange("update", updated, assigned(assignments), assigned(condition))
  const [, deleted, key = "", chosen] = deletion.exec(sql) ?? []
  if (deleted !== undefined && chosen !== undefined) return { ...rowChange("delete", deleted, list(key)), chosen }
  throw new Error(`A transaction of another library cannot replay this statement: ${sql}`)
}

/** What a writing statement of this package does. Throws if it is written in another form than the others. */
export const rowChangeOf = (sql: string): RowChange => {
  let found = known.get(sql)
  if (found === undefined) {
    found = parse(sql)
    known.set(sql, found)
  }
  return found
}
