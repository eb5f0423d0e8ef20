import type { ParkedEventRecord, ParkedEventRows } from "@petstore/core/ports"
import type { Sql } from "./Sql.ts"

interface ParkedEventRow {
  readonly consumer: string
  readonly seq: number
  readonly attempts: number
  readonly failure: string
  readonly parked_at: string
  readonly replay: number | boolean
}

const select = "SELECT consumer, seq, attempts, failure, parked_at, replay FROM petstore_parked_events"
const selectOne = `${select} WHERE consumer = ? AND seq = ?`
const selectPage = `${select} WHERE consumer = ? AND seq > ? ORDER BY seq LIMIT ?`
const selectReplays = `${select} INDEXED BY petstore_parked_events_replays WHERE replay AND consumer = ? AND seq > ?
  ORDER BY seq LIMIT ?`
const selectAll = `${select} WHERE (consumer, seq) > (?, ?) ORDER BY consumer, seq LIMIT ?`
const upsert = `INSERT INTO petstore_parked_events (consumer, seq, attempts, failure, parked_at, replay)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (consumer, seq) DO UPDATE SET attempts = excluded.attempts, failure = excluded.failure,
    parked_at = excluded.parked_at, replay = excluded.replay`
const remove = `DELETE FROM petstore_parked_events WHERE (consumer, seq) IN
  (SELECT consumer, seq FROM petstore_parked_events WHERE consumer = ? AND seq = ?)`

const toParkedEvent = (row: ParkedEventRow): ParkedEventRecord => ({
  consumer: row.consumer,
  seq: row.seq,
  attempts: row.attempts,
  failure: row.failure,
  parkedAt: row.parked_at,
  replay: Boolean(row.replay)
})

export const parkedEventRows = (sql: Sql): ParkedEventRows => {
  const one = sql.first(selectOne, toParkedEvent)
  const all = sql.all(selectAll, toParkedEvent)
  const save = sql.run(upsert)
  const removeEvent = sql.run(remove)
  return {
    find: ({ consumer, seq }) => one(consumer, seq),
    list: sql.all(selectPage, toParkedEvent),
    listReplays: sql.all(selectReplays, toParkedEvent),
    scan: ({ consumer, seq }, limit) => all(consumer, seq, limit),
    save: ({ attempts, consumer, failure, parkedAt, replay, seq }) =>
      save(consumer, seq, attempts, failure, parkedAt, replay),
    remove: ({ consumer, seq }) => removeEvent(consumer, seq)
  }
}
