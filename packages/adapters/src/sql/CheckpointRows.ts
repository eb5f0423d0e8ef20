import type { CheckpointRecord, CheckpointRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { claimed } from "./claimed.ts"
import type { Sql } from "./Sql.ts"

const select = "SELECT subject, seq, state FROM petstore_checkpoints"
const selectOne = `${select} WHERE subject = ?`
const selectAll = `${select} WHERE subject > ? ORDER BY subject LIMIT ?`
const upsert = `INSERT INTO petstore_checkpoints (subject, seq, state) VALUES (?, ?, ?)
  ON CONFLICT (subject) DO UPDATE SET seq = excluded.seq, state = excluded.state`
const remove = "DELETE FROM petstore_checkpoints WHERE subject = ?"

export const toCheckpoint = ({ seq, state, subject }: CheckpointRecord): CheckpointRecord => ({ subject, seq, state })

/** Row by row, for databases in the process. */
export const checkpointRows = (sql: Sql): CheckpointRows => {
  const claim = claimed(sql, "checkpoint of the event log")
  const lock = sql.lock(selectOne, toCheckpoint)
  const find = sql.first(selectOne, toCheckpoint)
  const save = sql.runOwn(upsert)
  const removeOne = sql.runOwn(remove)
  return {
    find: (subjects) =>
      Effect.map(
        Effect.forEach(subjects, (subject) => find(subject)),
        (found) => found.filter((record) => record !== undefined)
      ),
    lock: (subject) => Effect.andThen(claim(subject), lock(subject)),
    save: (records) =>
      Effect.forEach(records, ({ seq, state, subject }) => save(subject, seq, state), { discard: true }),
    remove: (subjects) => Effect.forEach(subjects, (subject) => removeOne(subject), { discard: true }),
    scan: sql.all(selectAll, toCheckpoint)
  }
}
