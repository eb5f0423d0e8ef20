import type { CheckpointRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { toCheckpoint } from "../sql/CheckpointRows.ts"
import type { PostgresSql } from "./statements/PostgresSql.ts"

const select = "SELECT subject, seq, state FROM petstore_checkpoints WHERE subject = ANY(?::text[])"
const upsert = `INSERT INTO petstore_checkpoints (subject, seq, state) SELECT * FROM unnest(?::text[], ?::bigint[], ?::text[])
  ON CONFLICT (subject) DO UPDATE SET seq = excluded.seq, state = excluded.state`
const remove = "DELETE FROM petstore_checkpoints WHERE subject = ANY(?::text[])"

/** The same with one statement for all rows of a batch. */
export const checkpointRows = (sql: PostgresSql, rows: CheckpointRows): CheckpointRows => {
  const found = sql.statement(select, "read", ({ rows: all }) => all.map((row) => toCheckpoint(row as never)))
  const saved = sql.statement(upsert, "write", () => undefined)
  const removed = sql.statement(remove, "write", () => undefined)
  return {
    ...rows,
    find: (subjects) => Effect.withFiber(({ context }) => sql.runner(context).execute(found, [subjects])),
    save: (records) =>
      Effect.withFiber(({ context }) =>
        sql.transactions
          .require(context)
          .execute(saved, [
            records.map(({ subject }) => subject),
            records.map(({ seq }) => seq),
            records.map(({ state }) => state)
          ])
      ),
    remove: (subjects) =>
      Effect.withFiber(({ context }) => sql.transactions.require(context).execute(removed, [subjects]))
  }
}
