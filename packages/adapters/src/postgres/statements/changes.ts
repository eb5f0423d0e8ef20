import type { Write } from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import { runsOf } from "../../sql/CommandStatements.ts"
import { deleteUpTo } from "../../sql/EventStatements.ts"
import { nameOf } from "../../sql/tableText.ts"
import type { GroupStatements } from "../commit/group/GroupStatements.ts"
import type { Prepared } from "../commit/group/writes.ts"
import { bounded } from "../events/openEvents.ts"
import { translated } from "./dialect.ts"

/** What a transaction writes. */
export interface Changes {
  /** They get their numbers when the transaction commits. */
  readonly events: ReadonlyArray<EventToAppend>
  readonly statements: ReadonlyArray<Prepared & { readonly table: string }>
}

/** How changes are written: many rows by one statement, or each by its own. */
export type Division = "together" | "oneByOne"

const eachOf = (write: Write): ReadonlyArray<Write> =>
  "log" in write && write.log !== "events" ? write.rows.map((row) => ({ log: write.log, rows: [row] })) : [write]

export const changesOf = (
  schema: string,
  all: GroupStatements,
  writes: ReadonlyArray<Write>,
  division: Division
): Changes => {
  const events: Array<EventToAppend> = []
  const statements: Array<Changes["statements"][number]> = []
  const add = (name: string, prepared: Prepared | undefined): void => {
    if (prepared !== undefined) statements.push({ ...prepared, table: nameOf({ name }) })
  }
  const runs = division === "together" ? runsOf(writes) : writes.flatMap(eachOf).map((write) => [write])
  for (const alike of runs) {
    const [first] = alike
    if (first === undefined) continue
    if ("log" in first) {
      const rows = alike.flatMap((write) => ("log" in write ? write.rows : []))
      if (first.log === "events") events.push(...(rows as ReadonlyArray<EventToAppend>))
      else if (rows.length > 0) add(first.log, all.of(first.log).insert(rows))
    } else if ("remove" in first) {
      const keys = alike.flatMap((write) => ("remove" in write ? [write.key] : []))
      add(first.remove, all.of(first.remove).remove(keys))
    } else if ("table" in first) {
      const rows = alike.flatMap((write) => ("table" in write ? [[write.before, write.row] as const] : []))
      const { before, table } = first
      add(table, before === undefined ? all.of(table).insert(rows.map(([, row]) => row)) : all.of(table).update(rows))
    } else if ("purge" in first) add(first.purge, all.of(first.purge).purge(first.before, first.limit))
    else add("events", { text: translated(schema, deleteUpTo), values: [bounded(first.trim)] })
  }
  return { events, statements }
}
