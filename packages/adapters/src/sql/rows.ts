import type { EventRows, Rows } from "@petstore/core/ports"
import type { MergeRanges } from "./IndexRange.ts"
import type { Sql } from "./Sql.ts"
import { rowsOf } from "./TableRows.ts"

/** The row operations of the storage port, as statements of a database. */
export const rows = (sql: Sql, merge: MergeRanges, events: EventRows): Rows => ({
  find: (table, key) => sql.read(() => rowsOf(table).find(key)),
  findAll: (table, keys) => sql.read(() => rowsOf(table).findAll(keys)),
  scan: (table, after, limit) => sql.read(() => rowsOf(table).scan(after, limit)),
  select: (query, argument, limit) => sql.read(() => rowsOf(query.table).select(query, argument, limit, merge)),
  count: (query, argument, most) => sql.read(() => rowsOf(query.table).count(query, argument, most)),
  events
})
