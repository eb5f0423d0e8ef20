import type { StoredQuery, StoredTable } from "@petstore/core/engine"
import { StorageBusy } from "@petstore/core/domain"
import { Duplicate, type StorageError, type Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { rangeFilter, orderBy } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { insertionOf, type RowTarget } from "./RowTarget.ts"
import type { Query, Sql, Value } from "./Sql.ts"
import { type AnyTable, conditionsText, indexRange, nameOf } from "./tableText.ts"

type Read<A> = Effect.Effect<A, StorageError>
type Written<A, E = never> = Effect.Effect<A, E | StorageError, Transaction>

/** Reserves a name with values until the transaction ends; see `claim` of {@link Sql}. Fails if it is held for too long. */
export const claimed = (sql: Sql, name: string): Query<void, Transaction> => {
  const claim = sql.claim(name)
  return (...values) =>
    Effect.flatMap(claim(...values), (isClaimed) =>
      isClaimed
        ? Effect.void
        : Effect.fail(new StorageBusy({}, { cause: new Error(`Another transaction holds the ${name}`) }))
    )
}

/** The statements of one table. */
export class TableRows<Row, Key extends number | string> {
  private readonly sql: Sql
  private readonly table: StoredTable<Row, Key>
  private readonly described: AnyTable
  private readonly select: string
  private readonly condition: string
  private readonly target: RowTarget
  private readonly readers: ReadonlyArray<(row: Row) => Value>

  constructor(sql: Sql, table: StoredTable<Row, Key>) {
    this.sql = sql
    this.table = table
    // Its text does not depend on its rows.
    this.described = table as unknown as AnyTable
    const { columns, generatesIds, key } = table
    const names = Object.keys(columns)
    this.select = `SELECT ${names.join(", ")} FROM ${nameOf(table)}`
    this.condition = key.map((name) => `${name} = ?`).join(" AND ")
    const written = Object.entries(columns).filter(([name]) => !(generatesIds && key.includes(name)))
    this.readers = written.map(([, { read }]) => read)
    this.target = {
      table: nameOf(table),
      columns: written.map(([name, { type }]) => ({ name, type })),
      ...(generatesIds ? { generatesIds } : {})
    }
  }

  /** A live row. */
  get find(): (key: Key) => Read<Row | undefined> {
    const one = this.sql.first(this.liveOne, this.table.decode)
    return (key) => one(...this.table.keyValues(key))
  }

  get lock(): (key: Key) => Written<Row | undefined> {
    const { keyValues, locksAbsent, name } = this.table
    const one = this.sql.lock(this.liveOne, this.table.decode)
    if (!locksAbsent) return (key) => one(...keyValues(key))
    const claim = claimed(this.sql, name)
    return (key) => Effect.andThen(claim(...keyValues(key)), one(...keyValues(key)))
  }

  get lockShared(): (key: Key) => Written<Row | undefined> {
    const one = this.sql.lockShared(this.liveOne, this.table.decode)
    return (key) => one(...this.table.keyValues(key))
  }

  /** All rows behind a key, the hidden ones included. */
  get scan(): (after: ReadonlyArray<Value>, limit: number) => Read<ReadonlyArray<Row>> {
    const { key } = this.table
    const text = `${this.select} WHERE ${tuple(key)} > ${tuple(key.map(() => "?"))} ORDER BY ${key.join(", ")} LIMIT ?`
    const page = this.sql.all(text, this.table.decode)
    return (after, limit) => page(...after, limit)
  }

  /** Rows by their ids, hidden ones included, in any order. */
  readonly chosen = (ids: ReadonlyArray<number>): Read<ReadonlyArray<Row>> => {
    const { condition, values } = oneOf("id", ids)
    return this.sql.all(`${this.select} NOT INDEXED WHERE ${condition}`, this.table.decode)(...values)
  }

  /** The first rows of a query, with some columns. */
  selectAs<Argument, Of, A>(
    { isReversed, ranges }: StoredQuery<Row, Argument, Key>,
    columns: ReadonlyArray<string>,
    decode: (row: Of) => A
  ): (argument: Argument, limit: number) => Read<ReadonlyArray<A>> {
    const select = `SELECT ${columns.join(", ")} FROM ${this.target.table}`
    return (argument, limit) => {
      const found = ranges(argument).map((range) => indexRange(this.described, range))
      const { text, values } = this.sql.merge(select, found, limit, isReversed)
      return this.sql.all(text, decode)(...values)
    }
  }

  /** The first rows of a query. */
  all<Argument>(query: StoredQuery<Row, Argument, Key>): (argument: Argument, limit: number) => Read<ReadonlyArray<Row>> {
    return this.selectAs(query, Object.keys(this.table.columns), this.table.decode)
  }

  /** How many rows a query selects; the count ends at `most`. Its ranges are one. */
  count<Argument>({ ranges }: StoredQuery<Row, Argument, Key>): (argument: Argument, most: number) => Read<number> {
    return (argument, most) => {
      const [range] = ranges(argument)
      if (range === undefined) return Effect.succeed(0)
      const { text, values } = rangeFilter(`SELECT 1 FROM ${this.target.table}`, indexRange(this.described, range))
      const counted = this.sql.first(
        `SELECT count(*) AS counted FROM (${text} LIMIT ?) AS found`,
        (row: { readonly counted: number }) => Number(row.counted)
      )
      return Effect.map(counted(...values, most), (count = 0) => count)
    }
  }

  /** Locks rows that a query selects and no other transaction has locked: those of one range after the other. */
  claim<Argument>({
    ranges
  }: StoredQuery<Row, Argument, Key>): (argument: Argument, limit: number) => Written<ReadonlyArray<Row>> {
    return (argument, limit) =>
      ranges(argument)
        .map((range) => indexRange(this.described, range))
        .reduce<Written<ReadonlyArray<Row>>>(
          (first, range) =>
            Effect.flatMap(first, (found) => {
              if (found.length >= limit) return Effect.succeed(found)
              const { text, values } = rangeFilter(this.select, range)
              const more = this.sql.lockFree(`${text}${orderBy([range])} LIMIT ?`, this.table.decode)
              return Effect.map(more(...values, limit - found.length), (rows) => [...found, ...rows])
            }),
          Effect.succeed([])
        )
  }

  /** Adds a row, and returns its id. Fails if a name is taken. */
  get insert(): (row: Row) => Written<number, Duplicate> {
    const { name } = this.names
    if (name === undefined) {
      const insert = this.sql.insert(insertionOf(this.target))
      return (row) => insert(...this.valuesOf(row))
    }
    const claim = claimed(this.sql, name)
    const place = this.target.columns.findIndex((column) => column.name === name)
    const insert = this.sql.tryInsert(`${insertionOf(this.target)} ON CONFLICT DO NOTHING`, {
      statement: this.named(name),
      places: [place]
    })
    return (row) => {
      const value = this.nameIn(row, name)
      return Effect.flatMap(Effect.andThen(claim(value), insert(...this.valuesOf(row))), (id) =>
        id === undefined ? Effect.fail(new Duplicate({ value })) : Effect.succeed(id)
      )
    }
  }

  /** Adds rows, and returns their ids, which ascend. */
  get insertMany(): (rows: ReadonlyArray<Row>) => Written<ReadonlyArray<number>> {
    const insert = this.sql.insertMany(this.target)
    return (rows) => insert(rows.map((row) => this.valuesOf(row)))
  }

  /** Adds rows. */
  get add(): (rows: ReadonlyArray<Row>) => Written<void> {
    const one = this.target.generatesIds === true ? undefined : this.sql.run(insertionOf(this.target))
    const many = this.sql.insertAll(this.target)
    return (rows) => {
      const [first] = rows
      if (first === undefined) return Effect.void
      return one !== undefined && rows.length === 1
        ? one(...this.valuesOf(first))
        : many(rows.map((row) => this.valuesOf(row)))
    }
  }

  /** Adds a row unless there is one of its key; returns whether it did. */
  get tryAdd(): (row: Row) => Written<boolean> {
    const places = this.table.key.map((name) => this.target.columns.findIndex((column) => column.name === name))
    const insert = this.sql.tryRun(`${insertionOf(this.target)} ON CONFLICT DO NOTHING`, {
      statement: `${this.select} WHERE ${this.condition}`,
      places
    })
    return (row) => insert(...this.valuesOf(row))
  }

  /** Adds a row, or replaces the one of its key. */
  get put(): (row: Row) => Written<void> {
    const { key } = this.table
    const assigned = this.changing.map(([name]) => `${name} = excluded.${name}`).join(", ")
    const upsert = this.sql.run(
      `${insertionOf(this.target)} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${assigned}`
    )
    return (row) => upsert(...this.valuesOf(row))
  }

  /** Replaces a row. Fails if a name is taken. */
  get save(): (row: Row) => Written<void, Duplicate> {
    const { keyOf, keyValues } = this.table
    const { changing } = this
    const text = `UPDATE ${this.target.table} SET ${changing.map(([name]) => `${name} = ?`).join(", ")} WHERE ${this.condition}`
    const valuesOf = (row: Row) => [...changing.map(([, { read }]) => read(row)), ...keyValues(keyOf(row))]
    const { name, where = [] } = this.names
    if (name === undefined) {
      const update = this.sql.run(text)
      return (row) => update(...valuesOf(row))
    }
    const claim = claimed(this.sql, name)
    const others = where.map((condition) => conditionsText([{ ...condition, column: `other.${condition.column}` }]))
    const places = [changing.length + 1, changing.length + 2]
    const update = this.sql.tryRun(
      `${text} AND NOT EXISTS (SELECT 1 FROM ${this.target.table} AS other WHERE ${[`other.${name} = ?`, ...others, "other.id <> ?"].join(" AND ")})`,
      { statement: `${this.named(name)} AND id <> ?`, places }
    )
    return (row) => {
      const value = this.nameIn(row, name)
      return Effect.flatMap(
        Effect.andThen(claim(value), update(...valuesOf(row), value, ...keyValues(keyOf(row)))),
        (isSaved) => (isSaved ? Effect.void : Effect.fail(new Duplicate({ value })))
      )
    }
  }

  get remove(): (key: Key) => Written<void> {
    const { key, keyValues } = this.table
    const remove = this.sql.run(
      `DELETE FROM ${this.target.table} WHERE ${tuple(key, true)} IN (SELECT ${key.join(", ")} FROM ${this.target.table} WHERE ${this.condition})`
    )
    return (one) => remove(...keyValues(one))
  }

  /** Removes some of the rows that are older than a time, and that no other transaction has locked. */
  get purge(): (before: string, limit: number) => Written<void> {
    return this.sql.run(purgeText(this.described))
  }

  private get liveOne(): string {
    const { live } = this.table
    return `${this.select} WHERE ${this.condition}${live.length === 0 ? "" : ` AND ${conditionsText(live)}`}`
  }

  /** The columns that are not the key. */
  private get changing() {
    return Object.entries(this.table.columns).filter(([name]) => !this.table.key.includes(name))
  }

  /** The column of names of which no two live rows have the same. */
  private get names() {
    const index = Object.values(this.table.indexes).find(({ unique }) => unique === "refused")
    return { name: index?.columns[0], where: index?.where ?? [] }
  }

  private named(name: string): string {
    const { where } = this.names
    return `${this.select} WHERE ${name} = ?${where.length === 0 ? "" : ` AND ${conditionsText(where)}`}`
  }

  private nameIn(row: Row, name: string): string {
    return String(this.table.columns[name]?.read(row))
  }

  private valuesOf(row: Row): ReadonlyArray<Value> {
    return this.readers.map((read) => read(row))
  }
}

/** A list of names as one value; a single one without brackets, unless they are asked for. */
const tuple = (names: ReadonlyArray<string>, isBracketed = false): string =>
  names.length === 1 && !isBracketed ? String(names[0]) : `(${names.join(", ")})`

/** Removes some of the rows that are older than a time, and that no other transaction has locked. */
export const purgeText = (table: AnyTable): string => {
  const [keys, name] = [table.key.join(", "), nameOf(table)]
  return `DELETE FROM ${name} WHERE (${keys}) IN
  (SELECT ${keys} FROM ${name} INDEXED BY ${name}_age WHERE created_at < ? LIMIT ? /*+ FOR UPDATE SKIP LOCKED */)`
}
