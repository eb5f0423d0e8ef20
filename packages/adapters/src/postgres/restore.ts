import type { EventRecord, Restore, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventTarget } from "../sql/EventRows.ts"
import { type RestoreDialect, restore } from "../sql/restore/restore.ts"
import { nameOf, tables } from "../sql/tableText.ts"
import { quoted } from "./statements/dialect.ts"
import type { PostgresSql } from "./statements/PostgresSql.ts"

/** Makes the sequences of ids continue behind the rows, and counts the rows, so that plans of statements fit them. */
const continueIds = (schema: string, sql: PostgresSql): RestoreDialect["continueIds"] => {
  const withIds = [...tables.values()].filter(({ generatesIds }) => generatesIds).map(nameOf)
  const statements = withIds.map((table) => {
    const next = sql.run(`SELECT setval(pg_get_serial_sequence(?, 'id'), max(id)) FROM ${table} HAVING count(*) > 0`)
    return Effect.suspend(() => next(`${quoted(schema)}.${table}`))
  })
  const analyze = [...[...tables.values()].map(nameOf), eventTarget.table].map((table) => sql.run(`ANALYZE ${table}`)())
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
    add: (table, records) => {
      const last = table === "events" ? (records as ReadonlyArray<EventRecord>).at(-1) : undefined
      const added = filled.add(table, records)
      return last === undefined ? added : Effect.andThen(added, setLogEnd(last.seq))
    }
  }
}
