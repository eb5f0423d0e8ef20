import type { ApiKeyRecord, ApiKeyRows, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Connection } from "../connection/Connection.ts"
import { statementError } from "../connection/errors.ts"
import type { SqliteSql } from "./SqliteSql.ts"

/** Keys that are remembered at a time. */
const capacity = 1_000

/** Whoever gets a digest may write to it. */
const copy = (record: ApiKeyRecord): ApiKeyRecord => ({
  ...record,
  digest: record.digest.slice(),
  ...(record.previous === undefined
    ? {}
    : { previous: { digest: record.previous.digest.slice(), until: record.previous.until } })
})

/**
 * Remembers the keys that were read for as long as nothing is committed to the file, by this process or another. SQLite
 * tells so for less than the row costs, and every request asks.
 */
export const cachedApiKeys = (rows: ApiKeyRows, reader: Connection, sql: SqliteSql): ApiKeyRows => {
  const dataVersion = reader.database.prepare("PRAGMA data_version")
  const remembered = new Map<number, ApiKeyRecord>()
  let version: unknown

  const remember = (id: number, record: ApiKeyRecord | undefined): void => {
    if (record === undefined) return
    if (remembered.size >= capacity) remembered.clear()
    remembered.set(id, copy(record))
  }

  const forgetIfChanged = (): void => {
    const current = dataVersion.get()?.data_version
    if (current !== version) remembered.clear()
    version = current
  }

  // Changes are looked for before the row is read: what is committed in between is found as a change the next time. A
  // fiber may give way between reading and remembering, and others find a change meanwhile.
  const find = (id: number): Effect.Effect<ApiKeyRecord | undefined, StorageError> => {
    try {
      forgetIfChanged()
    } catch (cause) {
      return Exit.fail(statementError(cause))
    }
    const known = remembered.get(id)
    if (known !== undefined) return Exit.succeed(copy(known))
    const asked = version
    return Effect.map(rows.find(id), (record) => {
      if (asked === version) remember(id, record)
      return record
    })
  }

  return {
    ...rows,
    find: (id) =>
      Effect.withFiber(({ context }) =>
        sql.transactions.find(context) === undefined && sql.snapshot(context) === undefined ? find(id) : rows.find(id)
      )
  }
}
