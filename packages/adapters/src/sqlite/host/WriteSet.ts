import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { Row } from "../statements/PreparedStatement.ts"
import type { RowChange } from "../statements/RowChange.ts"

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

/** The deferred writes of a call, and the database as it will be with them. */
export class WriteSet {
  private readonly own: Connection
  private readonly read: Read
  private entries: Array<Entry> = []
  /** The greatest id of a table before this call. */
  private readonly greatest = new Map<string, number>()
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
  }

  /** Adds a write. */
  add(change: RowChange, values: ReadonlyArray<SqlValue>, id?: number): void {
    this.entries.push({ change, values, id })
  }

  /** Adds a new row, and returns the id that it will have: no other connection can add one before the transaction ends. */
  insert(change: RowChange, values: ReadonlyArray<SqlValue>): Effect.Effect<number, StorageError> {
    return Effect.map(this.greatestId(change.table, "id"), (greatest) => {
      const added = this.entries.filter(
        ({ id, change: { table } }) => table === change.table && id !== undefined
      ).length
      const id = greatest + added + 1
      this.add(change, values, id)
      return id
    })
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
