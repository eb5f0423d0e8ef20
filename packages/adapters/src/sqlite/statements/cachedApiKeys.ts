import type { ApiKeyRecord, ApiKeyRows, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Connection } from "../connection/Connection.ts"
import { statementError } from "../connection/errors.ts"
import type { SqliteSql } from "./SqliteSql.ts"

/** The most keys in the cache. */
const capacity = 1_000

/** Callers may write to the bytes that they get. */
const copy = (record: ApiKeyRecord): ApiKeyRecord => ({
  ...record,
  digest: record.digest.slice(),
  ...(record.previous === undefined
    ? {}
    : { previous: { digest: record.previous.digest.slice(), until: record.previous.until } })
})

/**
 * Caches the keys that were read, until this process or another commits something. Every request reads a key, and the check
 * for commits costs less than the row.
 */
export const cachedApiKeys = (rows: ApiKeyRows, reader: Connection, sql: SqliteSql): ApiKeyRows => {
  const dataVersion = reader.database.prepare("PRAGMA data_version")
  const cached = new Map<number, ApiKeyRecord>()
  let version: unknown
  /** The requests that the last check was made for. */
  let checkedFor: object | undefined

  const add = (id: number, record: ApiKeyRecord | undefined): void => {
    if (record === undefined) return
    if (cached.size >= capacity) cached.clear()
    cached.set(id, copy(record))
  }

  const clearIfChanged = (): void => {
    const current = dataVersion.get()?.data_version
    if (current !== version) cached.clear()
    version = current
  }

  // The check comes before the row is read, so that a commit in between is found by the next check. A fiber may yield
  // between reading and caching, and another fiber may find a change meanwhile.
  const findChecked = (id: number, arrival?: object): Effect.Effect<ApiKeyRecord | undefined, StorageError> => {
    try {
      if (arrival === undefined || arrival !== checkedFor) clearIfChanged()
      checkedFor = arrival
    } catch (cause) {
      return Exit.fail(statementError(cause))
    }
    const known = cached.get(id)
    if (known !== undefined) return Exit.succeed(copy(known))
    const checked = version
    return Effect.map(rows.find(id), (record) => {
      if (checked === version) add(id, record)
      return record
    })
  }

  const find = (id: number, arrival?: object): Effect.Effect<ApiKeyRecord | undefined, StorageError> =>
    Effect.withFiber(({ context }) =>
      sql.transactions.find(context) === undefined && sql.snapshot(context) === undefined
        ? findChecked(id, arrival)
        : rows.find(id)
    )

  return { ...rows, find: (id) => find(id), findCached: find }
}
