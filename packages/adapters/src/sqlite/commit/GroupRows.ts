import type { Movement } from "@petstore/core/domain"
import type { Source, Write } from "@petstore/core/engine"
import type { EventToAppend } from "@petstore/core/ports"
import type { RowKey } from "../../sql/commandTables.ts"
import { eventTarget, eventValues } from "../../sql/EventRows.ts"
import { purgeRecords } from "../../sql/IdempotencyRows.ts"
import { movementFormat, movementTarget } from "../../sql/MovementRows.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import type { Value } from "../../sql/Value.ts"
import { bind, bindAll } from "../connection/Connection.ts"
import { compactEvents } from "../events/compactEvents.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import { type Perform, queryOf, tableStatements, unknown } from "../statements/commandStatements.ts"
import { insertOwn, partsOf, run, runOwn } from "../statements/Statement.ts"

/** A row before the group has changed it, and as it is now. */
interface Change {
  readonly before: unknown
  readonly row: unknown
}

const insertMovement = runOwn(insertionOf(movementTarget))
const insertEvents = [32, 8, 2, 1].map((count) => ({ count, statement: insertOwn(eventTarget, count) }))
const valuesOf = eventValues(compactEvents)
const purge = run(purgeRecords)

const logs: ReadonlySet<string> = new Set(["events", "movements"])

const statementsOf = (table: string) => tableStatements.get(table) ?? unknown(`use ${table}`)

/**
 * The rows of commands that share a commit: what one of them has changed the next one reads, and what all of them have changed is
 * written once, before the commit.
 */
export class GroupRows {
  private readonly perform: Perform
  private readonly known = new Map<string, Map<RowKey, unknown>>()
  private readonly lastIds = new Map<string, number>()
  private readonly changes = new Map<string, Map<RowKey, Change>>()
  private readonly movements: Array<Movement> = []
  private readonly events: Array<EventToAppend> = []
  private readonly purges: Array<readonly [before: string, limit: number]> = []

  /** `perform` reads for commands, and may throw what they end with. */
  constructor(perform: Perform) {
    this.perform = perform
  }

  /** Whether commands have changed something that is not written yet. */
  get isChanged(): boolean {
    return this.changes.size > 0 || this.events.length > 0 || this.movements.length > 0 || this.purges.length > 0
  }

  /** The rows for one command. A file has one writer, so to read a row locks it. `flush` writes what others have changed. */
  source(flush: () => void): Source {
    const added = new Map<string, number>()
    return {
      storesNew: false,
      load: (_reading, table, key) => {
        const known = mapOf(this.known, table.name)
        let row = known.get(key)
        if (row === undefined && !known.has(key)) {
          row = statementsOf(table.name).find(this.perform, key)
          known.set(key, row)
        }
        return row === undefined || !table.isLive(row as never) ? undefined : (row as never)
      },
      select: ({ name, table }, argument, limit) => {
        flush()
        return statementsOf(table.name).list(this.perform, queryOf(name, argument, limit)) as ReadonlyArray<never>
      },
      count: ({ name }) => unknown(`count ${name}`),
      claim: ({ name }) => unknown(`claim ${name}`),
      scan: ({ name }) => unknown(`scan ${name}`),
      last: ({ name }) => unknown(`see the end of ${name}`),
      insert: ({ name }, rowsOf) => {
        const last = added.get(name) ?? this.lastIdOf(name)
        added.set(name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  /** Keeps what a command has collected, for the others and for the end. Throws before it keeps any if it cannot write one. */
  keep(writes: ReadonlyArray<Write>): void {
    for (const write of writes) {
      if ("remove" in write) unknown(`remove ${write.remove}`)
      else if ("log" in write && !logs.has(write.log)) unknown(`append to ${write.log}`)
      else if ("table" in write) statementsOf(write.table)
    }
    for (const write of writes) {
      if ("table" in write) {
        const { before, key, row, table } = write
        mapOf(this.known, table).set(key, row)
        if (before === undefined && this.lastIds.has(table)) this.lastIds.set(table, key as number)
        const changes = mapOf(this.changes, table)
        const earlier = changes.get(key)
        changes.set(key, { before: earlier === undefined ? before : earlier.before, row })
      } else if ("purge" in write) this.purges.push([write.before, write.limit])
      else if ("log" in write) {
        if (write.log === "events") this.events.push(...(write.rows as ReadonlyArray<EventToAppend>))
        else this.movements.push(...(write.rows as ReadonlyArray<Movement>))
      }
    }
  }

  /** Writes what commands have changed; returns the events that this has added, and the latest of them. */
  write(perform: Perform): { readonly events: ReadonlyArray<EventToAppend>; readonly latest: LatestEvent | undefined } {
    for (const [name, statements] of tableStatements) {
      for (const [key, { before, row }] of this.changes.get(name) ?? []) {
        if (before === undefined) statements.insert(perform, row)
        else statements.update(perform, key, before, row)
      }
    }
    for (const movement of this.movements) perform(insertMovement, bind(movementFormat.values(movement)))
    const events = [...this.events]
    const seq = this.appendEvents(perform, events.map(valuesOf))
    for (const values of this.purges) perform(purge, values)
    if (this.purges.length > 0) this.known.delete("idempotency")
    this.discard()
    const last = events.at(-1)
    return { events, latest: last === undefined ? undefined : { seq, id: last.id } }
  }

  /** Forgets what is not written, and reads every row again: it was rolled back, or something else has changed them. */
  reset(): void {
    this.discard()
    this.known.clear()
    this.lastIds.clear()
  }

  /** Many with each statement, since they go to the same pages. Returns the number of the last one. */
  private appendEvents(perform: Perform, rows: ReadonlyArray<ReadonlyArray<Value>>): number {
    let seq = 0
    for (const { count, start, statement } of partsOf(rows.length, insertEvents)) {
      seq = perform(statement, bindAll(rows, start, start + count))
    }
    return seq
  }

  private discard(): void {
    this.changes.clear()
    this.movements.length = 0
    this.events.length = 0
    this.purges.length = 0
  }

  private lastIdOf(table: string): number {
    let last = this.lastIds.get(table)
    if (last === undefined) {
      last = statementsOf(table).lastId(this.perform)
      this.lastIds.set(table, last)
    }
    return last
  }
}

const mapOf = <A>(tables: Map<string, Map<RowKey, A>>, table: string): Map<RowKey, A> => {
  let rows = tables.get(table)
  if (rows === undefined) {
    rows = new Map()
    tables.set(table, rows)
  }
  return rows
}
