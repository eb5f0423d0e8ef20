import type { EventRecord, Restore, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventTarget } from "../sql/EventRows.ts"
import { Asked } from "../sql/Program.ts"
import { type RestoreDialect, restore } from "../sql/restore/restore.ts"
import { first, run } from "../sql/Statement.ts"
import { nameOf, tables } from "../sql/tableText.ts"
import { quoted } from "./statements/dialect.ts"
import type { PostgresSql } from "./statements/PostgresSql.ts"

/** Makes the sequences of ids continue behind the rows, and counts the rows, so that plans of statements fit them. */
const continueIds = (schema: string, sql: PostgresSql): RestoreDialect["continueIds"] => {
  const withIds = [...tables.values()].filter(({ generatesIds }) => generatesIds).map(nameOf)
  const statements = withIds.map((table) => {
    const next = run(`SELECT setval(pg_get_serial_sequence(?, 'id'), max(id)) FROM ${table} HAVING count(*) > 0`)
    return new Asked(next, [`${quoted(schema)}.${table}`])
  })
  const analyze = [...[...tables.values()].map(nameOf), eventTarget.table].map(
    (table) => new Asked(run(`ANALYZE ${table}`))
  )
  return Effect.forEach([...statements, ...analyze], (asked) => sql.inTransaction(() => asked), { discard: true })
}

/** Fills a store in PostgreSQL. */
export const restoreRows = (schema: string, sql: PostgresSql, latest: Effect.Effect<number, StorageError>): Restore => {
  const filled = restore(sql, { continueIds: continueIds(schema, sql) })
  const firstEvent = new Asked(
    first("SELECT min(seq) AS seq FROM petstore_events", ({ seq }: { readonly seq: number | null }) => seq ?? undefined)
  )
  const setLogEnd = run("UPDATE petstore_log_end SET last = ?")
  return {
    ...filled,
    // Those without a number count too.
    counts: Effect.gen(function* () {
      const counts = yield* filled.counts
      const before = (yield* sql.read(() => firstEvent)) ?? 1
      return { ...counts, events: (yield* latest) - before + 1 }
    }),
    add: (table, records) => {
      const last = table === "events" ? (records as ReadonlyArray<EventRecord>).at(-1) : undefined
      const added = filled.add(table, records)
      return last === undefined
        ? added
        : Effect.andThen(
            added,
            sql.inTransaction(() => new Asked(setLogEnd, [last.seq]))
          )
    }
  }
}
