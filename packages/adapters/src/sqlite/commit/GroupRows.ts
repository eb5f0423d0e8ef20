import type { Source, Write } from "@petstore/core/engine"
import type { EventToAppend } from "@petstore/core/ports"
import { deleteUpTo, EventStatements, eventTarget, eventValues } from "../../sql/EventRows.ts"
import { requireFree } from "../../sql/OpenRows.ts"
import { Asked, type Program, runNow } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import { run } from "../../sql/Statement.ts"
import { rowsOf } from "../../sql/TableRows.ts"
import { type AnyTable, nameOf, type RowKey, tableNamed, tables, wholeTable } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { compactEvents } from "../events/compactEvents.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import { mergeRanges } from "../statements/mergeRanges.ts"
import { partsOf, rowCounts, valuesOfRows } from "../statements/partsOf.ts"
import { writesOf } from "../statements/TableWrites.ts"

/** Runs a statement of the transaction. */
export type Perform = <A>(asked: Asked<A>) => A

/** How a transaction writes. */
export interface Writer {
  readonly perform: Perform
  /** Adds rows, and returns the number of the last one. */
  readonly insert: (sql: string, values: ReadonlyArray<Value>) => number
}

/** What the rows of commands have become in the database. */
export interface Written {
  readonly events: ReadonlyArray<EventToAppend>
  /** The latest of the events. */
  readonly latest: LatestEvent | undefined
  /** The tables that were written to. */
  readonly tables: ReadonlyArray<string>
}

/** A row before the group has changed it, and as it is now; undefined if there is none. */
interface Change {
  readonly before: unknown
  readonly row: unknown
  /** Whether the row that was there is removed first. */
  readonly isRemoved: boolean
}

const insertEvents = rowCounts.map((count) => ({ count, sql: insertionOf(eventTarget, count) }))
const valuesOf = eventValues(compactEvents)
const storedEvents = new EventStatements(compactEvents)
const trimEvents = run(deleteUpTo)

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
        return perform(rowsOf(table).findAll(keys))
      },
      select: (query, argument, limit) => {
        flush()
        return this.ask(rowsOf(query.table).select(query, argument, limit, mergeRanges))
      },
      count: (query, argument, limit) => {
        flush()
        return this.ask(rowsOf(query.table).count(query, argument, limit))
      },
      claim: (query, argument, limit) => {
        flush()
        return this.ask(rowsOf(query.table).claim(query, argument, limit))
      },
      scan: (after, limit) => {
        flush()
        return perform(storedEvents.scan(after, limit))
      },
      last: () => {
        flush()
        return perform(new Asked(storedEvents.latest)) ?? 0
      },
      insert: (table, rowsOf) => {
        const last = added.get(table.name) ?? this.lastIdOf(tableNamed(table.name))
        added.set(table.name, last + rowsOf.length)
        return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
      }
    }
  }

  /** Takes ids for new rows, which are then kept. */
  newIds(table: AnyTable, count: number): ReadonlyArray<number> {
    const last = this.lastIdOf(table)
    return Array.from({ length: count }, (_, index) => last + 1 + index)
  }

  /** Takes ids for rows that are kept later. */
  reserve(table: AnyTable, count: number): ReadonlyArray<number> {
    const ids = this.newIds(table, count)
    this.reserved.set(table.name, ids.at(-1) ?? 0)
    return ids
  }

  /** Throws the error of a change if another row has a value of it. */
  requireFree(writes: ReadonlyArray<Write>): void {
    this.ask(requireFree(writes))
  }

  /** Keeps what a command has collected, for the others and for the end. */
  keep(writes: ReadonlyArray<Write>): void {
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

  /** Writes what commands have changed. */
  write({ insert, perform }: Writer): Written {
    for (const [name, table] of reversed) {
      for (const [key, { isRemoved }] of this.changes.get(name) ?? []) {
        if (isRemoved) perform(writesOf(table).remove(key))
      }
    }
    for (const [name, table] of inOrder) {
      for (const [key, { before, row }] of this.changes.get(name) ?? []) {
        if (row === undefined) continue
        const change = before === undefined ? writesOf(table).insert(row) : writesOf(table).update(key, before, row)
        if (change !== undefined) perform(change)
      }
      for (const addition of writesOf(table).append(this.appended.get(name) ?? [])) perform(addition)
    }
    const events = [...this.events]
    const seq = appendEvents(insert, events.map(valuesOf))
    for (const [table, before, limit] of this.purges) {
      perform(writesOf(table).purge(before, limit))
      this.known.delete(table.name)
    }
    if (this.trimmed !== undefined) perform(new Asked(trimEvents, [this.trimmed]))
    const tables = [...this.changes.keys(), ...this.appended.keys(), ...this.purges.map(([{ name }]) => name)]
    this.discard()
    const last = events.at(-1)
    const latest = last === undefined ? undefined : { seq, id: last.id }
    return { events, latest, tables: tables.map((name) => nameOf({ name })) }
  }

  /** Reads every row again: something else has changed them. */
  forget(): void {
    this.known.clear()
    this.lastIds.clear()
  }

  /** Runs a program that only reads. A file has one writer, which holds every name as long as its transaction is open. */
  private ask<A>(program: Program<A>): A {
    return runNow(program, (request) => (request instanceof Asked ? this.perform(request) : true))
  }

  /** A row as the group has left it, whether or not commands find it. */
  private find(table: AnyTable, key: RowKey): unknown {
    const known = mapOf(this.known, table.name)
    let row = known.get(key)
    if (row === undefined && !known.has(key)) {
      row = this.perform(rowsOf(table).findStored(key))
      known.set(key, row)
    }
    return row
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
    const writes = writesOf(table)
    let id = generatesIds ? this.lastIdOf(table) : undefined
    const values = rows.map((row) => writes.valuesOf(row, id === undefined ? undefined : ++id))
    if (id !== undefined) this.lastIds.set(name, id)
    const known = this.appended.get(name)
    if (known === undefined) this.appended.set(name, values)
    else known.push(...values)
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
      last = this.perform(writesOf(table).lastId) ?? 0
      this.lastIds.set(table.name, last)
    }
    return Math.max(last, this.reserved.get(table.name) ?? 0)
  }
}

/** Many with each statement, since they go to the same pages. Returns the number of the last one. */
const appendEvents = (insert: Writer["insert"], rows: ReadonlyArray<ReadonlyArray<Value>>): number => {
  let seq = 0
  for (const { count, sql, start } of partsOf(rows.length, insertEvents)) {
    seq = insert(sql, valuesOfRows(rows, start, count))
  }
  return seq
}

const mapOf = <A>(all: Map<string, Map<RowKey, A>>, table: string): Map<RowKey, A> => {
  let rows = all.get(table)
  if (rows === undefined) {
    rows = new Map()
    all.set(table, rows)
  }
  return rows
}
