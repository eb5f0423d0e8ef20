import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Statement } from "./Session.ts"
import type { Sessions } from "./Sessions.ts"

const upsert: Statement<void> = {
  sql: `INSERT INTO petstore_write_check (id, checked_at) VALUES (1, ?)
    ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at`,
  writes: true,
  read: (statement, values) => {
    statement.run(...values)
  },
  bridged: () => Effect.void
}

/** Writes the one row that means nothing but that it could be written; a part of a transaction. */
export const writeCheck = (sessions: Sessions): Effect.Effect<void, StorageError, Transaction> =>
  Effect.withFiber(({ context }) => sessions.toWrite(context).execute(upsert, [new Date().toISOString()]))
