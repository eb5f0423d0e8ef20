import type { Write } from "@petstore/core/engine"
import type { EventToAppend } from "@petstore/core/ports"
import { deleteUpTo, eventTarget, eventValues, plainEvents } from "../../sql/EventRows.ts"
import { type AnyRequest, Asked, type Asking, Claimed, NewIds } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import { run } from "../../sql/Statement.ts"
import { type AnyTable, tableNamed } from "../../sql/tableText.ts"
import { writesOf } from "./TableWrites.ts"

const insertEvent = run(insertionOf(eventTarget))
const valuesOf = eventValues(plainEvents)
const trimEvents = run(deleteUpTo)

/**
 * Carries out a request of a transaction by statements alone, on any database that speaks SQLite. The one writer holds every name as
 * long as its transaction is open, and the next id is one more than the greatest of a table.
 */
export function* sqliteStatements(request: AnyRequest): Asking<unknown> {
  if (request instanceof Asked) return yield* request
  if (request instanceof Claimed) return true
  if (request instanceof NewIds) return yield* newIds(request.table, request.count)
  for (const write of request.writes) yield* change(write)
  return undefined
}

function* newIds(table: AnyTable, count: number): Asking<ReadonlyArray<number>> {
  const last = (yield* writesOf(table).lastId) ?? 0
  return Array.from({ length: count }, (_, index) => last + 1 + index)
}

function* change(write: Write): Asking<void> {
  if ("table" in write) {
    const writes = writesOf(tableNamed(write.table))
    const { before, key, row } = write
    const changed = before === undefined ? writes.insert(row) : writes.update(key, before, row)
    if (changed !== undefined) yield* changed
  } else if ("log" in write) yield* append(write.log, write.rows)
  else if ("remove" in write) yield* writesOf(tableNamed(write.remove)).remove(write.key)
  else if ("purge" in write) yield* writesOf(tableNamed(write.purge)).purge(write.before, write.limit)
  else yield* new Asked(trimEvents, [write.trim])
}

function* append(log: string, rows: ReadonlyArray<unknown>): Asking<void> {
  if (log === "events") {
    for (const event of rows as ReadonlyArray<EventToAppend>) yield* new Asked(insertEvent, valuesOf(event))
    return
  }
  const table = tableNamed(log)
  const writes = writesOf(table)
  // Other changes of the same transaction may have got the same ids, because nothing was written yet.
  const ids = table.generatesIds ? yield* newIds(table, rows.length) : []
  for (const added of writes.append(rows.map((row, index) => writes.valuesOf(row, ids[index])))) yield* added
}
