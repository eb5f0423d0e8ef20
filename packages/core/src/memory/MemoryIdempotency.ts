import * as Exit from "effect/Exit"
import type { IdempotencyRecord, IdempotencyRows } from "../ports/IdempotencyRows.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable } from "./MemoryTable.ts"
import { byText } from "./SortedKeys.ts"
import { TextIndex } from "./TextIndex.ts"

/** Sorts by account, then by key. */
const idOf = (accountId: number, key: string): string => `${String(accountId).padStart(16, "0")} ${key}`

/** The effects of idempotency keys, by account and key. */
export const idempotencyTable = () =>
  new MemoryTable({
    compare: byText,
    copy: (record: IdempotencyRecord): IdempotencyRecord => ({ ...record, fingerprint: record.fingerprint.slice() }),
    indexes: { createdAt: new TextIndex(byText, (record: IdempotencyRecord) => record.createdAt) }
  })

/** The idempotency records of a store. */
export const memoryIdempotency = (connection: MemoryConnection): IdempotencyRows => {
  const { idempotency } = connection.database
  const { createdAt } = idempotency.indexes
  return {
    // There is one writer at a time, so whoever asks is the only one who can write it.
    lock: (accountId, key) => connection.lock(() => idempotency.find(idOf(accountId, key))),
    save: (record) =>
      connection.change((log) => {
        log.put(idempotency, idOf(record.accountId, record.key), record)
        return Exit.void
      }),
    purge: (before, limit) =>
      connection.change((log) => {
        for (const { accountId, key } of idempotency.page(createdAt.before(before), limit)) {
          log.put(idempotency, idOf(accountId, key), undefined)
        }
        return Exit.void
      }),
    scan: ({ accountId, key }, limit) =>
      connection.read(() => idempotency.page(idempotency.keys.above(idOf(accountId, key)), limit))
  }
}
