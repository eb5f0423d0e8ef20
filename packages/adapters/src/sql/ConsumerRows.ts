import type { ConsumerRecord, ConsumerRows, LowestPosition } from "@petstore/core/ports"
import { Duplicate } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Sql } from "./Sql.ts"

interface ConsumerRow {
  readonly id: string
  readonly position: number
  readonly fence: number
  readonly lease_until: string | null
  readonly holder: string | null
  readonly types: string | null
  readonly attempts: number
  readonly retry_at: string | null
  readonly failure: string | null
  readonly failed_at: string | null
  readonly created_at: string
}

const select = `SELECT id, position, fence, lease_until, holder, types, attempts, retry_at, failure, failed_at, created_at
  FROM petstore_consumers`
const selectOne = `${select} WHERE id = ?`
const selectPage = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const selectLowest = `SELECT consumer, position FROM (SELECT id AS consumer, position FROM petstore_consumers
  UNION ALL SELECT consumer, min(seq) - 1 AS position FROM petstore_parked_events GROUP BY consumer) AS needed
  ORDER BY position, consumer LIMIT 1`
const insert = `INSERT INTO petstore_consumers (id, position, fence, lease_until, holder, types, attempts, retry_at, failure,
  failed_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const update = `UPDATE petstore_consumers SET position = ?, fence = ?, lease_until = ?, holder = ?, types = ?, attempts = ?,
  retry_at = ?, failure = ?, failed_at = ? WHERE id = ?`
const remove = "DELETE FROM petstore_consumers WHERE (id) IN (SELECT id FROM petstore_consumers WHERE id = ?)"

const toConsumer = (row: ConsumerRow): ConsumerRecord => ({
  name: row.id,
  position: row.position,
  lease: { fence: row.fence, ...(row.lease_until === null ? {} : { until: row.lease_until }) },
  ...(row.holder === null ? {} : { holder: row.holder }),
  ...(row.types === null ? {} : { types: JSON.parse(row.types) }),
  attempts: row.attempts,
  ...(row.retry_at === null ? {} : { retryAt: row.retry_at }),
  ...(row.failure === null || row.failed_at === null ? {} : { failure: { message: row.failure, at: row.failed_at } }),
  createdAt: row.created_at
})

const toLowest = ({ consumer, position }: LowestPosition): LowestPosition => ({ consumer, position })

const values = ({ attempts, failure, holder, lease, position, retryAt, types }: ConsumerRecord) =>
  [
    position,
    lease.fence,
    lease.until,
    holder,
    types === undefined ? undefined : JSON.stringify(types),
    attempts,
    retryAt,
    failure?.message,
    failure?.at
  ] as const

export const consumerRows = (sql: Sql): ConsumerRows => {
  const insertConsumer = sql.tryRun(insert, { statement: selectOne, places: [0] })
  const updateConsumer = sql.run(update)
  return {
    find: sql.first(selectOne, toConsumer),
    lock: sql.lock(selectOne, toConsumer),
    list: sql.all(selectPage, toConsumer),
    lowest: Effect.suspend(sql.first(selectLowest, toLowest)),
    insert: (consumer) =>
      Effect.flatMap(insertConsumer(consumer.name, ...values(consumer), consumer.createdAt), (isNew) =>
        isNew ? Effect.void : Effect.fail(new Duplicate({ value: consumer.name }))
      ),
    save: (consumer) => updateConsumer(...values(consumer), consumer.name),
    remove: sql.run(remove)
  }
}
