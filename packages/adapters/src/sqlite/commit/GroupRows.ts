import type { Query, Reading, Source, Table, Write } from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import { requireFree } from "../../sql/CommandStatements.ts"
import { deleteUpTo, EventStatements, eventTarget } from "../../sql/EventStatements.ts"
import { Asked, execute, type Program, runNow } from "../../sql/Program.ts"
import { rowsOf } from "../../sql/TableStatements.ts"
import { type AnyTable, nameOf, type RowKey, tableNamed, tables } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import type { Connection } from "../connection/Connection.ts"
import { compactEvents } from "../events/compactEvents.ts"
import type { LatestEvent } from "../events/EventLogHead.ts"
import type { HostDatabase } from "../host/HostDatabase.ts"
import { mergeRanges } from "../statements/mergeRanges.ts"
import { insertionsInto, type TableWrites, writesOf } from "../statements/TableWrites.ts"

/** Runs a statement of the transaction. */
type Perform = <A>(asked: Asked<A>) => A

/** Ids of tables. */
interface Ids {
  /** The greatest ones, as far as they are known. */
  readonly lastIds: Map<string, number>
  /** The last ones that are reserved. */
  readonly reserved: Map<string, number>
}

/** What the rows of commands have become in the database. */
interface Written {
  readonly events: ReadonlyArray<EventToAppend>
  readonly latest: LatestEvent | undefined
  /** The tables that were written to. */
  readonly tables: ReadonlyArray<string>
}

/** A row that a group has read or changed. */
class KnownRow {
  declare readonly key: RowKey
  /** As it is now; undefined if there is none. */
  declare row: unknown
  /** If it is changed: as the database has it; undefined if it is inserted. */
  declare before: unknown
  declare isChanged: boolean
  /** Whether the row that was there is removed first. */
  declare isRemoved: boolean

  constructor(key: RowKey, row: unknown) {
    this.key = key
    this.row = row
    this.before = undefined
    this.isChanged = false
    this.isRemoved = false
  }
}

/** What a group knows of a table, and changes in it. */
class TableGroup {
  readonly table: AnyTable
  readonly writes: TableWrites<unknown, RowKey>
  readonly known = new Map<RowKey, KnownRow>()
  /** In the order in which they were first changed. */
  readonly changed: Array<KnownRow> = []
  /** The values of rows that no command finds by their keys before they are written. */
  readonly appended: Array<ReadonlyArray<Value>> = []
  lastId: number | undefined

  constructor(table: AnyTable) {
    this.table = table
    this.writes = writesOf(table)
  }

  get isChanged(): boolean {
    return this.changed.length > 0 || this.appended.length > 0
  }

  know(key: RowKey, row: unknown): KnownRow {
    const known = new KnownRow(key, row)
    this.known.set(key, known)
    return known
  }

  /** Keeps a change of a row: the first one, or another. */
  change(key: RowKey, before: unknown, row: unknown): KnownRow {
    const known = this.known.get(key) ?? this.know(key, row)
    if (!known.isChanged) {
      known.before = before
      known.isChanged = true
      this.changed.push(known)
    }
    known.row = row
    return known
  }

  remove(key: RowKey): void {
    const known = this.change(key, undefined, undefined)
    // A later row of the key is inserted.
    known.before = undefined
    known.isRemoved = true
  }
}

/** This number of ids, one after the other. With `Array.from`, V8 takes several times as long. */
export const idsBehind = (last: number, count: number): ReadonlyArray<number> => {
  const ids: Array<number> = []
  for (let id = last + 1; id <= last + count; id++) ids.push(id)
  return ids
}

const insertEvents = insertionsInto(eventTarget, (text) => text)
const storedEvents = new EventStatements(compactEvents)
const trimEvents = execute(deleteUpTo)

/** The tables in the order of the references between them. */
const inOrder = [...tables.keys()]

/**
 * The rows of commands that share a commit: what one of them has changed the next one reads, and what all of them have changed is
 * written once, before the commit.
 */
export class GroupRows implements Source {
  readonly storesNew = false
  private readonly perform: Perform
  private readonly flush: () => void
  private readonly lastIds: Map<string, number>
  private readonly reserved: Map<string, number>
  /** The last ids that the running command has taken. */
  private readonly taken = new Map<string, number>()
  private readonly groups = new Map<string, TableGroup>()
  private events: Array<EventToAppend> = []
  private readonly purges: Array<readonly [table: AnyTable, before: string, limit: number]> = []
  private trimmed: number | undefined

  /** `perform` reads for commands, and may throw what they end with. `flush` writes what they have changed. */
  constructor(perform: Perform, flush: () => void, { lastIds, reserved }: Ids) {
    this.perform = perform
    this.flush = flush
    this.lastIds = lastIds
    this.reserved = reserved
  }

  /** Whether commands have changed something that is not written yet. */
  get isChanged(): boolean {
    if (this.events.length > 0 || this.purges.length > 0 || this.trimmed !== undefined) return true
    for (const { isChanged } of this.groups.values()) if (isChanged) return true
    return false
  }

  /** To be called before each command. */
  begin(): void {
    this.taken.clear()
  }

  /** A file has one writer, so to read a row locks it. */
  load<Row, K extends RowKey>(_reading: Reading, table: Table<Row, K>, key: K): Row | undefined {
    const group = this.groupToRead(table)
    const row = this.find(group, key)
    return row === undefined || !group.table.isLive(row) ? undefined : shown(table, row)
  }

  lockAll<Row, K extends RowKey>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    return this.findAll(table, keys).filter(table.isLive)
  }

  findAll<Row, K extends RowKey>(table: Table<Row, K>, keys: ReadonlyArray<K>): ReadonlyArray<Row> {
    return this.allOf(this.groupToRead(table), keys).map((row) => shown(table, row))
  }

  select<Row, Argument, K extends RowKey>(query: Query<Row, Argument, K>, argument: Argument, limit: number) {
    this.flush()
    return this.ask(rowsOf(query.table).select(query, argument, limit, mergeRanges))
  }

  count<Row, Argument, K extends RowKey>(query: Query<Row, Argument, K>, argument: Argument, limit: number) {
    this.flush()
    return this.ask(rowsOf(query.table).count(query, argument, limit))
  }

  claim<Row, Argument, K extends RowKey>(query: Query<Row, Argument, K>, argument: Argument, limit: number) {
    this.flush()
    return this.ask(rowsOf(query.table).claim(query, argument, limit))
  }

  scan(after: number, limit: number): ReadonlyArray<unknown> {
    this.flush()
    return this.perform(storedEvents.scan(after, limit))
  }

  last(): number {
    this.flush()
    return this.perform(new Asked(storedEvents.latest)) ?? 0
  }

  insert<Row>({ name }: Table<Row>, rowsOf: ReadonlyArray<(id: number) => Row>): ReadonlyArray<Row> {
    const last = this.taken.get(name) ?? this.lastIdOf(this.groupOf(name))
    this.taken.set(name, last + rowsOf.length)
    return rowsOf.map((rowOf, index) => rowOf(last + 1 + index))
  }

  /** Takes ids for new rows, which are then kept. */
  newIds({ name }: AnyTable, count: number): ReadonlyArray<number> {
    const last = this.lastIdOf(this.groupOf(name))
    return idsBehind(last, count)
  }

  /** Takes ids for rows that are kept later. */
  reserve(table: AnyTable, count: number): ReadonlyArray<number> {
    const ids = this.newIds(table, count)
    this.reserved.set(table.name, ids.at(-1) ?? 0)
    return ids
  }

  /** Throws the error of a change if another row has a value of it. */
  requireFree(writes: ReadonlyArray<Write>): void {
    for (const write of writes) {
      if (!("table" in write) || !this.groupOf(write.table).writes.mayBeTaken) continue
      this.ask(requireFree(writes))
      return
    }
  }

  /** Keeps what a command has collected, for the others and for the end. */
  keep(writes: ReadonlyArray<Write>): void {
    for (const write of writes) {
      if ("table" in write) this.keepRow(this.groupOf(write.table), write.key, write.before, write.row)
      else if ("remove" in write) this.groupOf(write.remove).remove(write.key)
      else if ("purge" in write) this.purges.push([tableNamed(write.purge), write.before, write.limit])
      else if ("trim" in write) this.trimmed = Math.max(write.trim, this.trimmed ?? 0)
      else if (write.log === "events") this.events.push(...(write.rows as ReadonlyArray<EventToAppend>))
    }
    // After the rows that have got their ids.
    for (const write of writes)
      if ("log" in write && write.log !== "events") this.append(this.groupOf(write.log), write.rows)
  }

  /** Writes what commands have changed. */
  write(connection: Pick<Connection<HostDatabase>, "perform" | "insert">): Written {
    const groups: Array<TableGroup> = []
    for (const name of inOrder) {
      const group = this.groups.get(name)
      if (group?.isChanged === true) groups.push(group)
    }
    for (const { changed, writes } of groups.toReversed()) {
      for (const known of changed) {
        if (known.isRemoved) {
          const { statement, values } = writes.remove(known.key)
          connection.perform(statement, values)
        }
        known.isChanged = false
        known.isRemoved = false
      }
    }
    for (const { appended, changed, lastId, table, writes } of groups) {
      for (const { statement, values } of writes.changes(changed)) connection.perform(statement, values)
      changed.length = 0
      if (appended.length > 0)
        for (const { statement, values } of writes.append(appended)) connection.perform(statement, values)
      appended.length = 0
      if (lastId !== undefined) this.lastIds.set(table.name, lastId)
    }
    const { events } = this
    this.events = []
    let seq = 0
    // Many with each statement, since they go to the same pages.
    for (const { statement, values } of insertEvents(events.map(compactEvents.values)))
      seq = connection.insert(statement, values)
    for (const [table, before, limit] of this.purges) {
      const { statement, values } = writesOf(table).purge(before, limit)
      connection.perform(statement, values)
      this.groups.get(table.name)?.known.clear()
    }
    if (this.trimmed !== undefined) connection.perform(trimEvents, [this.trimmed])
    const written = groups.map(({ writes }) => writes.name)
    for (const [table] of this.purges) written.push(nameOf(table))
    this.purges.length = 0
    this.trimmed = undefined
    const last = events.at(-1)
    const latest = last === undefined ? undefined : { seq, id: last.id }
    return { events, latest, tables: written }
  }

  /** Reads every row again: something else has changed them. */
  forget(): void {
    this.groups.clear()
    this.lastIds.clear()
  }

  /** Runs a program that only reads. A file has one writer, which holds every name as long as its transaction is open. */
  private ask<A>(program: Program<A>): A {
    return runNow(program, (request) => (request instanceof Asked ? this.perform(request) : true))
  }

  private groupOf(name: string): TableGroup {
    let group = this.groups.get(name)
    if (group === undefined) {
      group = new TableGroup(tableNamed(name))
      this.groups.set(name, group)
    }
    return group
  }

  /** What the group knows of a table, of which every row can be found by its key. */
  private groupToRead({ name }: { readonly name: string }): TableGroup {
    const group = this.groupOf(name)
    if (group.appended.length > 0) this.flush()
    return group
  }

  /** A row as the group has left it, whether or not commands find it. */
  private find(group: TableGroup, key: RowKey): unknown {
    const { known, table } = group
    return (known.get(key) ?? group.know(key, this.perform(rowsOf(table).findStored(key)))).row
  }

  private allOf(group: TableGroup, keys: ReadonlyArray<RowKey>): ReadonlyArray<unknown> {
    const { known, table } = group
    const wanted = new Set(keys)
    // No statement finds an id that is greater than all in the database, as those are which a transaction creates.
    const last = table.generatesIds ? this.lastStoredId(group) : Number.POSITIVE_INFINITY
    const missing = [...wanted].filter((key) => !known.has(key) && !(Number(key) > last))
    if (missing.length > 0) {
      const stored = this.perform(rowsOf(table).findAll(missing))
      for (const key of missing) group.know(key, undefined)
      for (const row of stored) group.know(table.keyOf(row), row)
    }
    return [...wanted].flatMap((key) => known.get(key)?.row ?? [])
  }

  private keepRow(group: TableGroup, key: RowKey, before: unknown, row: unknown): void {
    if (before === undefined) {
      const { existing, generatesIds } = group.table
      if (existing === "kept" && this.find(group, key) !== undefined) return
      if (generatesIds) group.lastId = Math.max(this.lastIdOf(group), Number(key))
    }
    group.change(key, before, row)
  }

  private append(group: TableGroup, rows: ReadonlyArray<unknown>): void {
    const { appended, table, writes } = group
    let id = table.generatesIds ? this.lastIdOf(group) : undefined
    for (const row of rows) appended.push(writes.valuesOf(row, id === undefined ? undefined : ++id))
    if (id !== undefined) group.lastId = id
  }

  /** The last id that a row has, or is reserved for one. */
  private lastIdOf(group: TableGroup): number {
    const { name } = group.table
    group.lastId ??= this.lastStoredId(group)
    return Math.max(group.lastId, this.reserved.get(name) ?? 0)
  }

  /** The greatest id in the database. */
  private lastStoredId({ table, writes }: TableGroup): number {
    let last = this.lastIds.get(table.name)
    if (last === undefined) {
      last = this.perform(writes.lastId) ?? 0
      this.lastIds.set(table.name, last)
    }
    return last
  }
}

/** A row as a table shows it, which may be a view. */
const shown = <Row, K extends RowKey>({ viewOf }: Table<Row, K>, row: unknown): Row =>
  viewOf === undefined ? (row as Row) : viewOf(row as never)
