import type { ApiKeyRecord, ApiKeyRows, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CommittedReads } from "../connection/CommittedReads.ts"
import { statementError } from "../connection/errors.ts"
import type { SqliteSql } from "./SqliteSql.ts"

/** The most keys in the cache. */
const capacity = 1_000

/** Requests that wait together and read without a common lock: to take that costs as much as three reads save by it. */
const fewRequests = 3

/** Callers may write to the bytes that they get. */
const copy = (record: ApiKeyRecord): ApiKeyRecord => ({
  ...record,
  digest: record.digest.slice(),
  ...(record.previous === undefined
    ? {}
    : { previous: { digest: record.previous.digest.slice(), until: record.previous.until } })
})

/** The rows of API keys, of which those that were read are cached. */
export interface CachedApiKeys {
  readonly rows: ApiKeyRows
  /** To be called after each commit of the writer, with the tables that were written to. */
  readonly onCommit: (tables: ReadonlySet<string>) => void
}

/**
 * Caches the keys that were read, until the writer changes any, or another connection commits something. Every request reads a
 * key, and the check for commits of others costs less than the row.
 */
export const cachedApiKeys = (rows: ApiKeyRows, reads: CommittedReads, sql: SqliteSql): CachedApiKeys => {
  const cached = new Map<number, ApiKeyRecord>()
  let version: unknown
  /** Increases with each time that the cache is cleared. */
  let clears = 0
  /** The requests that the last check was made for, and how many of them have come. */
  let checkedFor: object | undefined
  let requests = 0

  const add = (id: number, record: ApiKeyRecord | undefined): void => {
    if (record === undefined) return
    if (cached.size >= capacity) cached.clear()
    cached.set(id, copy(record))
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
  const findChecked = (id: number, arrival?: object): Effect.Effect<ApiKeyRecord | undefined, StorageError> => {
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
    const known = cached.get(id)
    if (known !== undefined) return Exit.succeed(copy(known))
    const before = clears
    return Effect.map(rows.find(id), (record) => {
      if (before === clears) add(id, record)
      return record
    })
  }

  const find = (id: number): Effect.Effect<ApiKeyRecord | undefined, StorageError> =>
    Effect.withFiber(({ context }) =>
      sql.transactions.find(context) === undefined && sql.snapshot(context) === undefined
        ? findChecked(id)
        : rows.find(id)
    )

  return {
    rows: {
      ...rows,
      find,
      // A request that arrives is not part of a transaction, so its key needs no fiber to be found.
      findCached: (id, arrival) => (arrival === undefined ? find(id) : findChecked(id, arrival))
    },
    onCommit: (tables) => {
      if (tables.has("petstore_api_keys")) clear()
    }
  }
}
