import type { Write } from "@petstore/core/engine"
import type { EventToAppend, StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { eventValues } from "../../sql/EventRows.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow as Row } from "../../sql/Statement.ts"
import { rowsOf } from "../../sql/TableRows.ts"
import { type AnyTable, changingColumns, insertionInto, selectOldText, tableNamed } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { bind, type Connection } from "../connection/Connection.ts"
import { compactEvents } from "../events/compactEvents.ts"
import { eventInsertion, type RowChange, rowChangesOf } from "../statements/RowChange.ts"

/** Reads through the transaction, without the writes of this set. */
export type Read = (sql: string, values: ReadonlyArray<SqlValue>) => Effect.Effect<ReadonlyArray<Row>, StorageError>

interface Entry {
  readonly change: RowChange
  readonly values: ReadonlyArray<SqlValue>
  /** The id of a new row. */
  readonly id: number | undefined
}

interface Column {
  readonly name: string
  readonly isKey: boolean
  readonly isBlob: boolean
}

/** Index hints, which a table with its changes does not support. */
const hints = / (?:NOT INDEXED|INDEXED BY \w+)\b/g

/** JSON has no bytes: they are encoded in hexadecimal. */
const json = (value: SqlValue): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  return typeof value === "bigint" ? Number(value) : typeof value === "string" ? value.toWellFormed() : value
}

const keyOf = (columns: ReadonlyArray<Column>, row: Row): string =>
  JSON.stringify(columns.flatMap(({ isKey, name }) => (isKey ? [row[name]] : [])))

/** The key of the row that an update changes. */
const changedKey = ({ columns, key }: RowChange, values: ReadonlyArray<SqlValue>): Row =>
  Object.fromEntries(key.map((name, index) => [name, values[columns.length + index]]))

const valuesOfEvent = eventValues(compactEvents)

/** What a call in a transaction of a library cannot do. */
export const notInCalls: Effect.Effect<never> = Effect.die(
  new TypeError("This cannot be done in a transaction of your app: call it without one.")
)

/** The deferred writes of a call, and the database as it will be with them. */
export class WriteSet {
  private readonly own: Connection
  private readonly read: Read
  private entries: Array<Entry> = []
  /** The greatest id of a table before this call. */
  private readonly greatest = new Map<string, number>()
  /** The greatest id of a table that a command was given and has not written yet. */
  private readonly given = new Map<string, number>()
  private readonly columns = new Map<string, ReadonlyArray<Column>>()

  /** `own`: a connection of the engine, on which the tables exist. */
  constructor(own: Connection, read: Read) {
    this.own = own
    this.read = read
  }

  /** The number of writes. */
  get size(): number {
    return this.entries.length
  }

  /** Drops all but the first `size` writes. */
  truncate(size: number): void {
    this.entries.length = size
    this.given.clear()
  }

  /** The ids of rows that are added next: no other connection can add one before the transaction ends. */
  newIds(table: string, count: number): Effect.Effect<ReadonlyArray<number>, StorageError> {
    return Effect.map(this.greatestId(table, "id"), (greatest) => {
      const added = this.entries.filter(({ change, id }) => change.table === table && id !== undefined).length
      const last = Math.max(greatest + added, this.given.get(table) ?? 0)
      this.given.set(table, last + count)
      return Array.from({ length: count }, (_, index) => last + 1 + index)
    })
  }

  /** Adds changes of a transaction, in their order. */
  addAll(writes: ReadonlyArray<Write>): Effect.Effect<void, StorageError> {
    return Effect.forEach(writes, (write) => this.addWrite(write), { discard: true })
  }

  /** Returns the rows of a query as they will be after all writes. */
  query(sql: string, values: ReadonlyArray<SqlValue>): Effect.Effect<ReadonlyArray<Row>, StorageError> {
    const tables = [...new Set(this.entries.map(({ change }) => change.table))]
    const changed = tables.filter((table) => new RegExp(`\\b${table}\\b`).test(sql))
    if (changed.length === 0) return this.read(sql, values)
    return Effect.flatMap(
      Effect.forEach(changed, (table) => this.changesOf(table)),
      (changes) => {
        const shadows = changes.map(({ columns, table }, index) => shadowOf(table, columns, `changes${index}`))
        const given = changes.map(({ removed, rows }) => JSON.stringify([rows, removed]))
        return this.read(`WITH ${shadows.join(", ")} ${sql.replace(hints, "")}`, [...given, ...values])
      }
    )
  }

  /** The writes to each table, in their order, for the triggers that replay them. */
  toJson(): ReadonlyArray<readonly [table: string, writes: string]> {
    const tables = new Map<string, Array<unknown>>()
    for (const { id = null, values, change } of this.entries) {
      const writes = tables.get(change.table) ?? []
      writes.push([change.name, id, values.map(json)])
      tables.set(change.table, writes)
    }
    return [...tables].map(([table, writes]) => [table, JSON.stringify(writes)])
  }

  private addWrite(write: Write): Effect.Effect<void, StorageError> {
    if ("log" in write) {
      if (write.log !== "events") {
        const table = tableNamed(write.log)
        return Effect.forEach(write.rows, (row) => this.insert(table, row), { discard: true })
      }
      for (const event of write.rows) this.add(eventInsertion, valuesOfEvent(event as EventToAppend))
      return Effect.void
    }
    if ("remove" in write) {
      const table = tableNamed(write.remove)
      this.add(rowChangesOf(table).delete, table.keyValues(write.key))
      return Effect.void
    }
    if ("table" in write) {
      const table = tableNamed(write.table)
      const { row } = write
      if (write.before === undefined) return this.insert(table, row)
      const changed = changingColumns(table).map(([, { read }]) => read(row))
      this.add(rowChangesOf(table).update, [...changed, ...table.keyValues(write.key)])
      return Effect.void
    }
    return "purge" in write ? this.purge(tableNamed(write.purge), write.before, write.limit) : notInCalls
  }

  /** Adds a row; what becomes of one whose key exists, the table says. */
  private insert(table: AnyTable, row: unknown): Effect.Effect<void, StorageError> {
    const key = table.keyOf(row)
    const add = (): void => {
      const id = table.generatesIds ? Number(key) : undefined
      this.add(rowChangesOf(table).insert, insertionInto(table).valuesOf(row), id)
    }
    if (table.existing !== "kept") return Effect.sync(add)
    const { statement, values } = rowsOf(table).findStored(key)
    return Effect.map(this.query(statement.sql, bind(values)), ([found]) => {
      if (found === undefined) add()
    })
  }

  private purge(table: AnyTable, before: string, limit: number): Effect.Effect<void, StorageError> {
    return Effect.map(this.query(selectOldText(table), [before, limit]), (rows) => {
      for (const row of rows) {
        this.add(
          rowChangesOf(table).delete,
          table.key.map((name) => row[name] as Value)
        )
      }
    })
  }

  private add(change: RowChange, values: ReadonlyArray<Value>, id?: number): void {
    this.entries.push({ change, values: bind(values), id })
  }

  private greatestId(table: string, column: string): Effect.Effect<number, StorageError> {
    const known = this.greatest.get(table)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(this.read(`SELECT max(${column}) AS greatest FROM ${table}`, []), ([row]) => {
      const greatest = Number(row?.greatest ?? 0)
      this.greatest.set(table, greatest)
      return greatest
    })
  }

  private columnsOf(table: string): ReadonlyArray<Column> {
    let columns = this.columns.get(table)
    if (columns === undefined) {
      columns = this.own.database
        .prepare("SELECT name, type, pk FROM pragma_table_info(?)")
        .all(this.own.named(table))
        .map(({ name, pk, type }) => ({ name: String(name), isKey: pk !== 0, isBlob: type === "BLOB" }))
      this.columns.set(table, columns)
    }
    return columns
  }

  /** The rows of a table that will be new or changed, and the keys of those that will be deleted. */
  private changesOf(table: string) {
    const columns = this.columnsOf(table)
    const entries = this.entries.filter(({ change }) => change.table === table)
    const keyNames = columns.flatMap(({ isKey, name }) => (isKey ? [name] : []))
    const keys = entries.flatMap(({ values, change }) => {
      if (change.verb !== "update") return []
      const key = changedKey(change, values)
      return [keyNames.map((name) => json(key[name] as SqlValue))]
    })
    const names = columns.map(({ name }) => name).join(", ")
    const key = keyNames.map((_, index) => `value ->> ${index}`).join(", ")
    const before =
      keys.length === 0
        ? Effect.succeed([])
        : this.read(
            `SELECT ${names} FROM ${table} WHERE (${keyNames.join(", ")}) IN (SELECT ${key} FROM json_each(?))`,
            [JSON.stringify(keys)]
          )
    // The rows of the log are numbered as they are written.
    const numbered = columns.find(({ name }) => name === "seq")
    const latest =
      numbered?.isKey === true && columns.filter(({ isKey }) => isKey).length === 1
        ? this.greatestId(table, numbered.name)
        : Effect.succeed(0)
    return Effect.map(Effect.all([before, latest]), ([found, seq]) => {
      const rows = new Map<string, Row>(found.map((row) => [keyOf(columns, row), row]))
      const removed = new Map<string, Row>()
      let next = seq
      for (const { id, values, change } of entries) {
        const given = Object.fromEntries(change.columns.map((name, index) => [name, values[index]]))
        if (change.verb === "update") {
          const key = keyOf(columns, changedKey(change, values))
          const row = rows.get(key)
          if (row !== undefined) rows.set(key, { ...row, ...given })
          continue
        }
        const row: Row = id === undefined ? { seq: ++next, ...given } : { id, ...given }
        const key = keyOf(columns, row)
        if (change.verb === "insert") {
          rows.set(key, row)
          removed.delete(key)
        } else {
          rows.delete(key)
          removed.set(key, row)
        }
      }
      const list = (row: Row): ReadonlyArray<unknown> =>
        columns.map(({ name }) => json((row[name] ?? null) as SqlValue))
      return { table, columns, rows: [...rows.values()].map(list), removed: [...removed.values()].map(list) }
    })
  }
}

/** A common table expression with the name of a table, which adds the changes to it. */
const shadowOf = (table: string, columns: ReadonlyArray<Column>, changes: string): string => {
  const key = columns.flatMap(({ isKey }, index) => (isKey ? [index] : []))
  const names = columns.map(({ name }) => name).join(", ")
  const keyNames = key.map((index) => columns[index]?.name).join(", ")
  const from = (place: number): string => `json_each(${changes}.given, '$[${place}]') AS change`
  const keys = (place: number): string =>
    `SELECT ${key.map((index) => `change.value ->> ${index}`).join(", ")} FROM ${changes}, ${from(place)}`
  const values = columns.map(({ isBlob, name }, index) => {
    const value = `change.value ->> ${index}`
    return `${isBlob ? `unhex(${value})` : value} AS ${name}`
  })
  return `${changes} AS (SELECT ? AS given), ${table} AS (
    SELECT ${names} FROM main.${table} WHERE (${keyNames}) NOT IN (${keys(0)} UNION ALL ${keys(1)})
    UNION ALL SELECT ${values.join(", ")} FROM ${changes}, ${from(0)})`
}
