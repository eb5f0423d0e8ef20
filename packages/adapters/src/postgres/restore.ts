import type { Restore, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventTarget } from "../sql/EventStatements.ts"
import { Asked, type Asking, execute, first } from "../sql/Program.ts"
import { restore } from "../sql/restore/restore.ts"
import type { Sql, Transact } from "../sql/Sql.ts"
import { nameOf, tables } from "../sql/tableText.ts"
import { quoted } from "./statements/dialect.ts"

/** Makes the sequences of ids continue behind the rows, and counts the rows, so that plans of statements fit them. */
function* continueIds(schema: string): Asking<void> {
  for (const table of tables.values()) {
    if (!table.generatesIds) continue
    const name = nameOf(table)
    const next = execute(`SELECT setval(pg_get_serial_sequence(?, 'id'), max(id)) FROM ${name} HAVING count(*) > 0`)
    yield* new Asked(next, [`${quoted(schema)}.${name}`])
  }
  for (const table of [...[...tables.values()].map(nameOf), eventTarget.table]) {
    yield* new Asked(execute(`ANALYZE ${table}`))
  }
}

/** Fills a store in PostgreSQL. */
export const restoreRows = (
  schema: string,
  sql: Sql,
  transact: Transact,
  latest: Effect.Effect<number, StorageError>
): Restore => {
  const setLogEnd = execute("UPDATE petstore_log_end SET last = ?")
  const filled = restore(sql, transact, {
    continueIds: () => continueIds(schema),
    afterEvents: function* (last) {
      yield* new Asked(setLogEnd, [last])
    }
  })
  const firstEvent = new Asked(
    first("SELECT min(seq) AS seq FROM petstore_events", ({ seq }: { readonly seq: number | null }) => seq ?? undefined)
  )
  return {
    ...filled,
    // Those without a number count too.
    counts: Effect.gen(function* () {
      const counts = yield* filled.counts
      const before = (yield* sql.read(() => firstEvent)) ?? 1
      return { ...counts, events: (yield* latest) - before + 1 }
    })
  }
}
