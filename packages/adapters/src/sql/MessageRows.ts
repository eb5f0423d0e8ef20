import type { MessageRecord, MessageStatus } from "@petstore/core/domain"
import type { ClaimableQuery, MessageRows, StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { RowFormat } from "./RowFormat.ts"
import type { Sql } from "./Sql.ts"

interface MessageRow {
  readonly id: string
  readonly message: string
  readonly status: MessageStatus
  readonly created_at: string
  readonly attempts: number
  readonly fence: number
  readonly lease_until: string | null
  readonly due_at: string | null
  readonly finished_at: string | null
  readonly last_error: string | null
  readonly trace: string | null
}

const select = `SELECT id, message, status, created_at, attempts, fence, lease_until, due_at, finished_at, last_error, trace
  FROM petstore_messages`
const selectOne = `${select} WHERE id = ?`
const selectPage = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const count = `SELECT count(*) AS counted FROM (SELECT 1 FROM petstore_messages INDEXED BY petstore_messages_status
  WHERE status = ? LIMIT ?) AS found`
// As in the indexes of the schema, which SQLite uses for conditions of the same text alone.
const due = "coalesce(due_at, created_at)"
const isWaiting = "status = 'queued' AND lease_until IS NULL"
const ofWaiting = `INDEXED BY petstore_messages_due WHERE ${isWaiting}`
const ofLeased = "INDEXED BY petstore_messages_leased WHERE lease_until IS NOT NULL"
const selectExpired = `${select} ${ofLeased} AND (lease_until <= ? OR lease_until > ?) ORDER BY lease_until, id LIMIT ?`
const selectDue = `${select} ${ofWaiting} AND ${due} <= ? ORDER BY ${due}, id LIMIT ?`
const selectTooLate = `${select} ${ofWaiting} AND ${due} > ? ORDER BY ${due}, id LIMIT ?`
const selectNextDue = `SELECT
  (SELECT ${due} FROM petstore_messages ${ofWaiting} ORDER BY ${due}, id LIMIT 1) AS due,
  (SELECT lease_until FROM petstore_messages ${ofLeased} ORDER BY lease_until, id LIMIT 1) AS expiry`
const selectDelivered = `${select} INDEXED BY petstore_messages_delivered WHERE status = 'delivered' AND finished_at < ?
  ORDER BY finished_at, id LIMIT ?`
const insert = `INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, lease_until, due_at,
  finished_at, last_error, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const update = `UPDATE petstore_messages SET status = ?, attempts = ?, fence = ?, lease_until = ?, due_at = ?,
  finished_at = ?, last_error = ?, trace = ? WHERE id = ?`
const remove = "DELETE FROM petstore_messages WHERE id = ?"

export const toMessage = (row: MessageRow): MessageRecord => ({
  id: row.id,
  message: row.message,
  status: row.status,
  createdAt: row.created_at,
  attempts: row.attempts,
  lease: { fence: row.fence, ...(row.lease_until === null ? {} : { until: row.lease_until }) },
  ...(row.due_at === null ? {} : { dueAt: row.due_at }),
  ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
  ...(row.trace === null ? {} : { trace: row.trace })
})

const changing = ({ status, attempts, lease, dueAt, finishedAt, lastError, trace }: MessageRecord) =>
  [status, attempts, lease.fence, lease.until, dueAt, finishedAt, lastError, trace] as const

const values = (record: MessageRecord) => {
  const [status, ...rest] = changing(record)
  return [record.id, record.message, status, record.createdAt, ...rest] as const
}

export const messageFormat: RowFormat<MessageRecord> = {
  table: "petstore_messages",
  key: { id: "text" },
  columns: {
    message: "text",
    status: "text",
    created_at: "text",
    attempts: "bigint",
    fence: "bigint",
    lease_until: "text",
    due_at: "text",
    finished_at: "text",
    last_error: "text",
    trace: "text"
  },
  values
}

/** The earlier time; texts of times sort as the times do. */
const earlier = (one: string | null, other: string | null): string | undefined =>
  one === null || (other !== null && other < one) ? (other ?? undefined) : one

export const messageRows = (sql: Sql): MessageRows => {
  const insertMessage = sql.run(insert)
  const updateMessage = sql.run(update)
  const page = sql.all(selectPage, toMessage)
  const counted = sql.first(count, ({ counted }: { readonly counted: number }) => Number(counted))
  const expired = sql.lockFree(selectExpired, toMessage)
  const dueNow = sql.lockFree(selectDue, toMessage)
  const tooLate = sql.lockFree(selectTooLate, toMessage)
  const nextDue = sql.first(
    selectNextDue,
    ({ due, expiry }: { readonly due: string | null; readonly expiry: string | null }) => earlier(due, expiry)
  )

  type Locked = Effect.Effect<ReadonlyArray<MessageRecord>, StorageError, Transaction>

  /** Locks more messages if there is room for them. */
  const andThen = (first: Locked, limit: number, next: (room: number) => Locked): Locked =>
    Effect.flatMap(first, (found) =>
      found.length >= limit
        ? Effect.succeed(found)
        : Effect.map(next(limit - found.length), (more) => [...found, ...more])
    )

  const lockClaimable = ({ limit, longestDelay, longestLease, now }: ClaimableQuery): Locked =>
    andThen(
      andThen(expired(now, longestLease, limit), limit, (room) => dueNow(now, room)),
      limit,
      (room) => tooLate(longestDelay, room)
    )

  return {
    find: sql.first(selectOne, toMessage),
    lock: sql.lock(selectOne, toMessage),
    list: ({ status, after, limit }) => {
      if (status === undefined) return page(after, limit)
      const { text, values } = sql.merge(
        select,
        [
          {
            index: "petstore_messages_status",
            contains: "TRUE",
            equal: [["status", status]],
            order: ["id"],
            after: [after]
          }
        ],
        limit
      )
      return sql.all(text, toMessage)(...values)
    },
    count: (status, most) => Effect.map(counted(status, most), (found = 0) => found),
    insert: (record) => insertMessage(...values(record)),
    save: (record) => updateMessage(...changing(record), record.id),
    remove: sql.runOwn(remove),
    nextDue: nextDue(),
    lockClaimable,
    lockDelivered: sql.lockFree(selectDelivered, toMessage)
  }
}
