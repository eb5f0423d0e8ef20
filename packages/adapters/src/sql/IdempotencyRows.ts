import { IdempotencyInProgress } from "@petstore/core/domain"
import type { IdempotencyRecord, IdempotencyRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { LockedRows, RowFormat } from "./RowFormat.ts"
import type { Sql } from "./Sql.ts"

interface IdempotencyRow {
  readonly account_id: number
  readonly key: string
  readonly operation: string
  readonly fingerprint: Uint8Array
  readonly answer: string
  readonly created_at: string
}

const select = "SELECT account_id, key, operation, fingerprint, answer, created_at FROM petstore_idempotency"
const selectOne = `${select} WHERE account_id = ? AND key = ?`
const selectAll = `${select} WHERE (account_id, key) > (?, ?) ORDER BY account_id, key LIMIT ?`
const upsert = `INSERT INTO petstore_idempotency (account_id, key, operation, fingerprint, answer, created_at)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, key) DO UPDATE SET operation = excluded.operation,
    fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
const remove = `DELETE FROM petstore_idempotency WHERE (account_id, key) IN
  (SELECT account_id, key FROM petstore_idempotency INDEXED BY petstore_idempotency_age
    WHERE created_at < ? LIMIT ? /*+ FOR UPDATE SKIP LOCKED */)`

const toRecord = (row: IdempotencyRow): IdempotencyRecord => ({
  accountId: row.account_id,
  key: row.key,
  operation: row.operation,
  fingerprint: row.fingerprint,
  result: row.answer,
  createdAt: row.created_at
})

/** The name under which a key is reserved, with the account and the key. */
export const idempotencyClaim = "idempotency key"

export const lockedRecords: LockedRows<IdempotencyRow, IdempotencyRecord> = { select, decode: toRecord }

export const idempotencyFormat: RowFormat<IdempotencyRecord> = {
  table: "petstore_idempotency",
  key: { account_id: "bigint", key: "text" },
  columns: { operation: "text", fingerprint: "bytea", answer: "text", created_at: "text" },
  values: ({ accountId, key, operation, fingerprint, result, createdAt }) => [
    accountId,
    key,
    operation,
    fingerprint,
    result,
    createdAt
  ]
}

/** Removes expired records. */
export const purgeRecords = remove

export const idempotencyRows = (sql: Sql): IdempotencyRows => {
  const save = sql.run(upsert)
  const purge = sql.run(remove)
  const all = sql.all(selectAll, toRecord)
  const claim = sql.claim(idempotencyClaim)
  const lock = sql.lock(selectOne, toRecord)
  return {
    lock: (accountId, key) =>
      Effect.flatMap(
        claim(accountId, key),
        (isClaimed): ReturnType<IdempotencyRows["lock"]> =>
          isClaimed ? lock(accountId, key) : Effect.fail(new IdempotencyInProgress({}))
      ),
    save: ({ accountId, key, operation, fingerprint, result, createdAt }) =>
      save(accountId, key, operation, fingerprint, result, createdAt),
    purge: (createdAt, limit) => purge(createdAt, limit),
    scan: ({ accountId, key }, limit) => all(accountId, key, limit)
  }
}
