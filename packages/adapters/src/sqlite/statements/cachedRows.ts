import type { Table } from "@petstore/core/kernel"
import { asking, map, type Rows, type StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { EventStatements } from "../../sql/EventStatements.ts"
import { frozen } from "../../sql/frozen.ts"
import { rows } from "../../sql/TableStatements.ts"
import { nameOf, type RowKey, tables } from "../../sql/tableText.ts"
import type { CommittedReads, SqliteSql } from "../connection/CommittedReads.ts"
import { statementError } from "../connection/errors.ts"
import { compactEvents } from "../events/compactEvents.ts"
import { selectSubject } from "../events/subjectIndex.ts"
import { mergeRanges } from "./mergeRanges.ts"

const events = new EventStatements(compactEvents, selectSubject)

export const sqliteRows = (sql: SqliteSql): Rows => rows(sql, mergeRanges, events.rows(sql))

/** The most rows of a table in the cache. */
const capacity = 1_000

/** Requests that wait together and read without a common lock: to take that costs as much as three reads save by it. */
const fewRequests = 3

const cachedTables: ReadonlyArray<string> = [...tables.values()].filter(({ isCached }) => isCached).map(nameOf)

/** The rows of a store, of which those of some tables are cached when they are read. */
interface CachedRows {
  readonly rows: Rows
  /** To be called after each commit of the writer, with the tables that were written to. */
  readonly onCommit: (tables: ReadonlySet<string>) => void
}

/**
 * Caches the rows that were read of tables of which every request reads one, until the writer changes any, or another connection
 * commits something. The check for commits of others costs less than the row.
 */
export const cachedRows = (rows: Rows, reads: CommittedReads, sql: SqliteSql): CachedRows => {
  const cached = new Map<object, Map<RowKey, unknown>>()
  let version: unknown
  /** Increases with each time that the cache is cleared. */
  let clears = 0
  /** The requests that the last check was made for, and how many of them have come. */
  let checkedFor: object | undefined
  let requests = 0

  const rowsOf = (table: object): Map<RowKey, unknown> => {
    let known = cached.get(table)
    if (known === undefined) {
      known = new Map()
      cached.set(table, known)
    }
    return known
  }

  const clear = (): void => {
    cached.clear()
    clears++
  }

  const clearIfChanged = (): void => {
    const current = reads.dataVersion()
    if (current !== version) clear()
    version = current
  }

  // The check comes before the row is read, so that a commit in between is found by the next check. A fiber may yield
  // between reading and caching, and the cache may be cleared meanwhile.
  const findChecked = <Row, Key extends RowKey>(
    table: Table<Row, Key>,
    key: Key,
    arrival?: object
  ): Effect.Effect<Row | undefined, StorageError> => {
    try {
      const isNew = arrival === undefined || arrival !== checkedFor
      requests = isNew ? 1 : requests + 1
      // Of requests that do not come through the queue of a server, nothing shows how many follow.
      if (arrival === undefined || requests > fewRequests) reads.shareLock()
      if (isNew) clearIfChanged()
      checkedFor = arrival
    } catch (cause) {
      return Exit.fail(statementError(cause))
    }
    // The rows of a table have its type.
    const known = cached.get(table)?.get(key) as Row | undefined
    if (known !== undefined) return Exit.succeed(known)
    const before = clears
    return map(rows.find(table, key), (row) => {
      if (before === clears && row !== undefined) {
        const all = rowsOf(table)
        if (all.size >= capacity) all.clear()
        all.set(key, frozen(table.copy(row)))
      }
      return row
    })
  }

  const find: Rows["find"] = (table, key) =>
    table.isCached
      ? asking(({ services }) =>
          sql.snapshots.find(services) === undefined
            ? map(findChecked(table, key), (row) => (row === undefined ? row : table.copy(row)))
            : rows.find(table, key)
        )
      : rows.find(table, key)

  return {
    rows: {
      ...rows,
      find,
      // A request that arrives is not part of a transaction, so its row needs no fiber to be found.
      findCached: (table, key, arrival) => (table.isCached ? findChecked(table, key, arrival) : find(table, key))
    },
    onCommit: (written) => {
      if (cachedTables.some((name) => written.has(name))) clear()
    }
  }
}
