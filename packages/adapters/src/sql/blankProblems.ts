import { bareName, tables } from "./tableText.ts"

/** The columns with JSON texts. Blanks around one change nothing that is read, so only a query finds them. */
const columns = [
  ["access_log", "state"],
  ["events", "data"],
  ...[...tables.values()].flatMap(({ checks, name }) =>
    checks.flatMap((check) => {
      const [, column] = /json_type\((\w+)\)/.exec(check) ?? []
      return column === undefined ? [] : [[bareName(name), column] as const]
    })
  )
] as const

const blanks = "(' ', '\t', '\n', '\r')"

/** Queries for JSON texts that are not as they were written, with the column `problem`. */
export const blankProblems: ReadonlyArray<string> = columns.map(
  ([table, column]) => `SELECT count(*) || ' rows of ${table} have blanks around their ${column}' AS problem
    FROM (SELECT CAST(${column} AS text) AS json FROM petstore_${table}) AS texts
    WHERE substr(json, 1, 1) IN ${blanks} OR substr(json, length(json), 1) IN ${blanks} HAVING count(*) > 0`
)
