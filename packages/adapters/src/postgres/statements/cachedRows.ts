import type { Table, Write } from "@petstore/core/kernel"
import { asking, map, type Rows, type StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { frozen } from "../../sql/frozen.ts"
import { type RowKey, tables } from "../../sql/tableText.ts"

/** The most rows of a table in the cache. */
const capacity = 1_000

/** How long a row is used without reading it again, in milliseconds: another server may have changed it since. Saves each request a round trip for its key. */
const maxAgeMillis = 500

/**
 * How long a row that this store writes is read each time, in milliseconds: longer than a transaction takes from the write to
 * its commit.
 */
const settlingMillis = 60_000

/** The rows of one table. */
interface Cache {
  readonly rows: Map<RowKey, CachedRow>
  readonly writtenAt: Map<RowKey, number>
}

interface CachedRow {
  readonly row: unknown
  /** When it began to be read, in milliseconds. */
  readonly readAt: number
}

const newCache = (): Cache => ({ rows: new Map(), writtenAt: new Map() })

/** The rows of a store, of which those of some tables are cached when they are read. */
interface CachedRows {
  readonly rows: Rows
  /** To be called before a transaction makes changes. */
  readonly onWrite: (writes: ReadonlyArray<Write>) => void
}

/** Adds `findCached`: reads each row of some tables at most twice a second, instead of once for each request. */
export const cachedRows = (rows: Rows, now = (): number => performance.now()): CachedRows => {
  const caches = new Map([...tables].flatMap(([name, { isCached }]) => (isCached ? [[name, newCache()] as const] : [])))

  const isSettling = ({ writtenAt }: Cache, key: RowKey): boolean => {
    const at = writtenAt.get(key)
    if (at === undefined) return false
    if (now() - at < settlingMillis) return true
    writtenAt.delete(key)
    return false
  }

  const findCached = <Row, Key extends RowKey>(
    table: Table<Row, Key>,
    key: Key
  ): Effect.Effect<Row | undefined, StorageError> =>
    asking(() => {
      const cache = caches.get(table.name)
      if (cache === undefined || isSettling(cache, key)) return rows.find(table, key)
      const known = cache.rows.get(key)
      const readAt = now()
      // The rows of a table have its type.
      if (known !== undefined && readAt - known.readAt < maxAgeMillis) return Exit.succeed(known.row as Row)
      return map(rows.find(table, key), (row) => {
        cache.rows.delete(key)
        if (row !== undefined) {
          if (cache.rows.size >= capacity) cache.rows.clear()
          cache.rows.set(key, { row: frozen(table.copy(row)), readAt })
        }
        return row
      })
    })

  return {
    rows: { ...rows, findCached },
    onWrite: (writes) => {
      for (const write of writes) {
        if ("table" in write) caches.get(write.table)?.writtenAt.set(write.key, now())
        else if ("remove" in write) caches.get(write.remove)?.writtenAt.set(write.key, now())
      }
    }
  }
}
