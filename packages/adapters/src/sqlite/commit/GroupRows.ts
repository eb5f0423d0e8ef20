import { isInRange, type Source, type Write } from "@petstore/core/engine"
import type { EventToAppend, StorageError } from "@petstore/core/ports"
import * as Exit from "effect/Exit"
import { decodeWith, deleteUpTo, eventTarget, eventValues, selectLatest, selectPage } from "../../sql/EventRows.ts"
import { type AnyTable, type RowKey, tableNamed, tables, wholeTable } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { bind, bindAll } from "../connection/Connection.ts"
import { compactEvents } from "../events/compactEvents.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import { all, first, insertOwn, partsOf, runOwn } from "../statements/Statement.ts"
import { type Perform, statementsOf } from "../statements/TableStatements.ts"

/** A row before the group has changed it, and as it is now; undefined if there is none. */
interface Change {
  readonly before: unknown
  readonly row: unknown
  /** Whether the row that was there is removed first. */
  readonly isRemoved: boolean
}

const insertEvents = [32, 8, 2, 1].map((count) => ({ count, statement: insertOwn(eventTarget, count) }))
const valuesOf = eventValues(compactEvents)
const pageOfEvents = all(selectPage, decodeWith(compactEvents.decode))
const latestEvent = first(selectLatest, ({ seq }: { readonly seq: number | null }) => seq ?? 0, "lock")
const trimEvents = runOwn(deleteUpTo)

/** The tables in the order of the references between them. */
const inOrder = [...tables]
const reversed = inOrder.toReversed()

/**
 * The rows of commands that share a commit: what one of them has changed the next one reads, and what all of them have changed is
 * written once, before the commit.
 */
export class GroupRows {
  private readonly perform: Perform
  private readonly known = new Map<string, Map<RowKey, unknown>>()
  private readonly lastIds = new Map<string, number>()
  private readonly reserved: Map<string, number>
  private readonly changes = new Map<string, Map<RowKey, Change>>()
  private readonly appended = new Map<string, Array<ReadonlyArray<Value>>>()
  private readonly events: Array<EventToAppend> = []
  private readonly purges: Array<readonly [table: AnyTable, before: string, limit: number]> = []
  private trimmed: number | undefined

  /** `perform` reads for commands, and may throw what they end with. `reserved`: the last id of each table that is reserved. */
  constructor(perform: Perform, reserved = new Map<string, number>()) {
    this.perform = perform
    this.reserved = reserved
  }

  /** Whether commands have changed something that is not written yet. */
  get isChanged(): boolean {
    return (
      this.changes.size > 0 ||
      this.events.length > 0 ||
      this.appended.size > 0 ||
      this.purges.length > 0 ||
      this.trimmed !== undefined
    )
  }

  /** The rows for one command. A file has one writer, so to read a row locks it. `flush` writes what others have changed. */
  source(flush: () => void): Source {
    const { perform } = this
    const added = new Map<string, number>()
    return {
      storesNew: false,
      load: (_reading, table, key) => {
        if (this.appended.has(table.name)) flush()
        const whole = wholeTable(table)
        const row = this.find(whole, key)
        if (row === undefined || !whole.isLive(row)) return undefined
        return (table.viewOf === undefined ? row : table.viewOf(row as never)) as never
      },
      findAll: (table, keys) => {
        flush()
        return statementsOf(table).findAll(perform, keys)
      },
      select: (query, argument, limit) => {
        flush()
        return statementsOf(query.table).select(perform, query, argument, limit)
      },
      count: (query, argument, limit) => {
        flush()
        return statementsOf(query.table).count(perform, query, argument, limit)
      },
      claim: (query, argument, limit) => {
        flush()
        return statementsOf(query.table).claim(perform, query, argument, limit)
      },
      scan: (after, limit) => {
        flush()
        return perform(pageOfEvents, [after, limit])
      },
      last: () => {
        flush()
        return perform(latestEvent, []) ?? 0
      },
      insert: (table, rowsOf) => {
        const last = added.get(table.name) ?? this.lastIdOf(tableNamed(table.name))
        added.set(table.name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  /** Ids for rows that are written later. */
  reserve(table: AnyTable, count: number): ReadonlyArray<number> {
    const last = this.lastIdOf(table)
    this.reserved.set(table.name, last + count)
    return Array.from({ length: count }, (_, index) => last + 1 + index)
  }

  /** Keeps what a command has collected, for the others and for the end. Throws before it keeps any if it cannot write one. */
  keep(writes: ReadonlyArray<Write>): void {
    for (const write of writes) if ("table" in write) this.requireFree(tableNamed(write.table), write.row, write.before)
    for (const write of writes) {
      if ("table" in write) this.keepRow(tableNamed(write.table), write.key, write.before, write.row)
      else if ("remove" in write) this.removeRow(write.remove, write.key)
      else if ("purge" in write) this.purges.push([tableNamed(write.purge), write.before, write.limit])
      else if ("trim" in write) this.trimmed = Math.max(write.trim, this.trimmed ?? 0)
      else if (write.log === "events") this.events.push(...(write.rows as ReadonlyArray<EventToAppend>))
    }
    // After the rows that have got their ids.
    for (const write of writes)
      if ("log" in write && write.log !== "events") this.append(tableNamed(write.log), write.rows)
  }

  /** Writes what commands have changed; returns the events that this has added, and the latest of them. */
  write(perform: Perform): { readonly events: ReadonlyArray<EventToAppend>; readonly latest: LatestEvent | undefined } {
    for (const [name, table] of reversed) {
      for (const [key, { isRemoved }] of this.changes.get(name) ?? []) {
        if (isRemoved) statementsOf(table).remove(perform, key)
      }
    }
    for (const [name, table] of inOrder) {
      for (const [key, { before, row }] of this.changes.get(name) ?? []) {
        if (row === undefined) continue
        if (before === undefined) statementsOf(table).insert(perform, row)
        else statementsOf(table).update(perform, key, before, row)
      }
      const appended = this.appended.get(name)
      if (appended !== undefined) statementsOf(table).append(perform, appended)
    }
    const events = [...this.events]
    const seq = this.appendEvents(perform, events.map(valuesOf))
    for (const [table, before, limit] of this.purges) {
      statementsOf(table).purge(perform, before, limit)
      this.known.delete(table.name)
    }
    if (this.trimmed !== undefined) perform(trimEvents, bind([this.trimmed]))
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

  /** A row as the group has left it, whether or not commands find it. */
  private find(table: AnyTable, key: RowKey): unknown {
    const known = mapOf(this.known, table.name)
    let row = known.get(key)
    if (row === undefined && !known.has(key)) {
      row = statementsOf(table).find(this.perform, key)
      known.set(key, row)
    }
    return row
  }

  /** Throws the error of a row with values that another one has. */
  private requireFree(table: AnyTable, row: unknown, before: unknown): void {
    const index = statementsOf(table).takenIndex
    if (index === undefined || !isInRange(table, { index: index.name }, row)) return
    const isSame = (name: string): boolean => table.columns[name]?.read(row) === table.columns[name]?.read(before)
    if (before !== undefined && isInRange(table, { index: index.name }, before) && index.columns.every(isSame)) return
    const taken = statementsOf(table).taken(this.perform, row)
    if (taken !== undefined) throw Exit.fail(taken as StorageError)
  }

  private keepRow(table: AnyTable, key: RowKey, before: unknown, row: unknown): void {
    const { existing, generatesIds, name } = table
    if (before === undefined && existing === "kept" && this.find(table, key) !== undefined) return
    mapOf(this.known, name).set(key, row)
    if (before === undefined && generatesIds) this.lastIds.set(name, Math.max(this.lastIdOf(table), Number(key)))
    const changes = mapOf(this.changes, name)
    const earlier = changes.get(key) ?? { before, isRemoved: false }
    changes.set(key, { ...earlier, row })
  }

  private removeRow(table: string, key: RowKey): void {
    mapOf(this.known, table).set(key, undefined)
    mapOf(this.changes, table).set(key, { before: undefined, row: undefined, isRemoved: true })
  }

  private append(table: AnyTable, rows: ReadonlyArray<unknown>): void {
    const { generatesIds, name } = table
    const statements = statementsOf(table)
    let id = generatesIds ? this.lastIdOf(table) : undefined
    const values = rows.map((row) => statements.valuesOf(row, id === undefined ? undefined : ++id))
    if (id !== undefined) this.lastIds.set(name, id)
    const known = this.appended.get(name)
    if (known === undefined) this.appended.set(name, values)
    else known.push(...values)
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
    this.appended.clear()
    this.events.length = 0
    this.purges.length = 0
    this.trimmed = undefined
  }

  private lastIdOf(table: AnyTable): number {
    let last = this.lastIds.get(table.name)
    if (last === undefined) {
      last = statementsOf(table).lastId(this.perform)
      this.lastIds.set(table.name, last)
    }
    return Math.max(last, this.reserved.get(table.name) ?? 0)
  }
}

const mapOf = <A>(all: Map<string, Map<RowKey, A>>, table: string): Map<RowKey, A> => {
  let rows = all.get(table)
  if (rows === undefined) {
    rows = new Map()
    all.set(table, rows)
  }
  return rows
}
