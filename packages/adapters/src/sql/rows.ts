import type { EventRows, Rows } from "@petstore/core/ports"
import type { MergeRanges } from "./IndexRange.ts"
import type { OpenRows } from "./OpenRows.ts"
import type { Asking } from "./Program.ts"
import type { Sql } from "./Sql.ts"
import { rowsOf } from "./TableRows.ts"

/** The rows of a database: `open` are those of its transactions. */
export const rows = (sql: Sql, open: OpenRows, merge: MergeRanges, events: EventRows): Rows => ({
  find: (table, key) => sql.read(() => rowsOf(table).find(key)),
  findAll: (table, keys) => sql.read(() => rowsOf(table).findAll(keys)),
  lock: (table, key, isShared) => sql.inTransaction(() => rowsOf(table).lock(key, isShared)),
  scan: (table, after, limit) => sql.read(() => rowsOf(table).scan(after, limit)),
  select: (query, argument, limit) =>
    sql.read((isInTransaction) =>
      isInTransaction ? open.select(query, argument, limit) : rowsOf(query.table).select(query, argument, limit, merge)
    ),
  count: (query, argument, most) =>
    sql.read((isInTransaction) =>
      isInTransaction ? open.count(query, argument, most) : rowsOf(query.table).count(query, argument, most)
    ),
  claim: (query, argument, limit) => sql.inTransaction(() => rowsOf(query.table).claim(query, argument, limit)),
  insert: (table, rowsOf) =>
    sql.inTransaction(function* (): Asking<ReadonlyArray<ReturnType<(typeof rowsOf)[number]>>> {
      const added = yield* open.insert(table, rowsOf)
      yield* open.write(added.map((row) => ({ table: table.name, key: table.keyOf(row), row, before: undefined })))
      return added
    }),
  write: (writes) => sql.inTransaction(() => open.write(writes)),
  events
})
