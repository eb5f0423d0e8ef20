import { IdempotencyInProgress } from "../domain/errors/RequestErrors.ts"
import { readStoredKey, storedKeyOf } from "../domain/idempotency/IdempotencyKey.ts"
import { columnsOf, table } from "../kernel/Table.ts"

/** What an idempotency key of an account was used for, with the result. */
export interface IdempotencyRecord {
  readonly accountId: number
  readonly key: string
  readonly operation: string
  /** SHA-256 of the decoded input. */
  readonly fingerprint: Uint8Array
  /** The stored result, as JSON. */
  readonly result: string
  readonly createdAt: string
}

const record = columnsOf<IdempotencyRecord>()

/** What idempotency keys were used for. The lock of a key keeps others from using it. */
export const idempotencyKeys = table<IdempotencyRecord, string>("idempotency", {
  key: ["account_id", "key"],
  keyOf: storedKeyOf,
  keyValues: (stored) => {
    const { accountId, key } = readStoredKey(stored)
    return [accountId, key]
  },
  existing: "replaced",
  lockOrder: 1,
  busy: () => new IdempotencyInProgress({}),
  columns: {
    account_id: record.integer("accountId"),
    key: record.text("key"),
    operation: record.text("operation"),
    fingerprint: record.bytes("fingerprint"),
    answer: record.text("result"),
    created_at: record.time("createdAt")
  },
  checks: ["length(fingerprint) = 32"],
  indexes: { age: { order: ["created_at"] } }
})
