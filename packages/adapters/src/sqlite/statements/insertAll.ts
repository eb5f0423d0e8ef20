import * as Effect from "effect/Effect"
import type { RestoreDialect } from "../../sql/restore/restore.ts"
import type { Sql } from "../../sql/Sql.ts"

/** Adds rows one by one: a statement takes microseconds in the process. */
export const insertAll =
  (sql: Sql): RestoreDialect["insertAll"] =>
  ({ columns, table }) => {
    const names = columns.map(({ name }) => name).join(", ")
    const insert = sql.run(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => "?").join(", ")})`)
    return (rows) => Effect.forEach(rows, (values) => insert(...values), { discard: true })
  }
