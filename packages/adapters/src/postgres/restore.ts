import type { Restore, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { type RestoreDialect, restore } from "../sql/restore/restore.ts"
import { quoted } from "./statements/dialect.ts"
import type { PostgresSql } from "./statements/PostgresSql.ts"

const tablesWithIds = ["accounts", "api_keys", "categories", "pets", "orders", "webhooks", "deliveries"]

/** Makes the sequences of ids continue behind the rows, and counts the rows, so that plans of statements fit them. */
const continueIds = (schema: string, sql: PostgresSql): RestoreDialect["continueIds"] => {
  const statements = tablesWithIds.map((name) => {
    const table = `petstore_${name}`
    const next = sql.run(`SELECT setval(pg_get_serial_sequence(?, 'id'), max(id)) FROM ${table} HAVING count(*) > 0`)
    return Effect.suspend(() => next(`${quoted(schema)}.${table}`))
  })
  const analyze = [...tablesWithIds, "movements", "events", "messages", "idempotency"].map((name) =>
    sql.run(`ANALYZE petstore_${name}`)()
  )
  return Effect.all([...statements, ...analyze], { discard: true })
}

/** Fills a store in PostgreSQL. */
export const restoreRows = (schema: string, sql: PostgresSql, latest: Effect.Effect<number, StorageError>): Restore => {
  const filled = restore(sql, { continueIds: continueIds(schema, sql) })
  const firstEvent = sql.first(
    "SELECT min(seq) AS seq FROM petstore_events",
    ({ seq }: { readonly seq: number | null }) => seq ?? undefined
  )
  const setLogEnd = sql.run("UPDATE petstore_log_end SET last = ?")
  return {
    ...filled,
    // Those without a number count too.
    counts: Effect.gen(function* () {
      const counts = yield* filled.counts
      const before = (yield* firstEvent()) ?? 1
      return { ...counts, events: (yield* latest) - before + 1 }
    }),
    add: {
      ...filled.add,
      events: (records) => {
        const last = records.at(-1)
        return last === undefined ? Effect.void : Effect.andThen(filled.add.events(records), setLogEnd(last.seq))
      }
    }
  }
}
