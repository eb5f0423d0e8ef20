import type { Write } from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import { deleteUpTo, eventTarget, plainEvents } from "../../sql/EventStatements.ts"
import { type AnyRequest, Asked, type Asking, Claimed, execute, Filled, NewIds } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import { type AnyTable, tableNamed } from "../../sql/tableText.ts"
import { type Written, writesOf } from "./TableWrites.ts"

const insertEvent = execute(insertionOf(eventTarget))
const trimEvents = execute(deleteUpTo)

/** The last id of each table, by its name, that is reserved for a row which is written later. */
export type ReservedIds = Map<string, number>

/**
 * Carries out a request of a transaction by statements alone, on any database that speaks SQLite. The one writer holds every name as
 * long as its transaction is open, and the next id is one more than the greatest that a table has, or that is reserved: `reserved` is of this
 * transaction, and is changed.
 */
export function* sqliteStatements(request: AnyRequest, reserved?: ReservedIds): Asking<unknown> {
  if (request instanceof Asked) return yield* request
  if (request instanceof Claimed) return true
  if (request instanceof NewIds) {
    const ids = yield* newIds(request.table, request.count, reserved)
    // A command may add to a table more than once before its rows are written.
    reserved?.set(request.table.name, ids.at(-1) ?? 0)
    return ids
  }
  if (request instanceof Filled) {
    const insert = execute(insertionOf(request.target))
    for (const row of request.rows) yield* new Asked(insert, row)
  } else for (const write of request.writes) yield* change(write)
  return undefined
}

/** Reserves ids for rows of a table that later transactions write. */
export function* reserveIds(
  { name }: { readonly name: string },
  count: number,
  reserved: ReservedIds
): Asking<ReadonlyArray<number>> {
  const ids = yield* newIds(tableNamed(name), count, reserved)
  reserved.set(name, ids.at(-1) ?? 0)
  return ids
}

function* newIds(table: AnyTable, count: number, reserved?: ReservedIds): Asking<ReadonlyArray<number>> {
  const last = Math.max((yield* writesOf(table).lastId) ?? 0, reserved?.get(table.name) ?? 0)
  return Array.from({ length: count }, (_, index) => last + 1 + index)
}

const asked = ({ statement, values }: Written): Asked<void> => new Asked(statement, values)

function* change(write: Write): Asking<void> {
  if ("table" in write) {
    for (const changed of writesOf(tableNamed(write.table)).changes([write])) yield* asked(changed)
  } else if ("log" in write) yield* append(write.log, write.rows)
  else if ("remove" in write) yield* asked(writesOf(tableNamed(write.remove)).remove(write.key))
  else if ("purge" in write) yield* asked(writesOf(tableNamed(write.purge)).purge(write.before, write.limit))
  else yield* new Asked(trimEvents, [write.trim])
}

function* append(log: string, rows: ReadonlyArray<unknown>): Asking<void> {
  if (log === "events") {
    for (const event of rows as ReadonlyArray<EventToAppend>) yield* new Asked(insertEvent, plainEvents.values(event))
    return
  }
  const table = tableNamed(log)
  const writes = writesOf(table)
  // Other changes of the same transaction may have got the same ids, because nothing was written yet.
  const ids = table.generatesIds ? yield* newIds(table, rows.length) : []
  for (const added of writes.append(rows.map((row, index) => writes.valuesOf(row, ids[index])))) yield* asked(added)
}
