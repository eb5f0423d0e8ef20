import { StorageBusy } from "@petstore/core/domain"
import { isInRange, type Query, type Table } from "@petstore/core/engine"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { orderBy, rangeFilter } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { insertionOf } from "./RowTarget.ts"
import type { Sql, Value } from "./Sql.ts"
import {
  bareName,
  changingColumns,
  conditionsText,
  insertionInto,
  keyCondition,
  nameOf,
  othersText,
  purgeText,
  type RowKey,
  removalText,
  selection,
  selectLiveText,
  selectText,
  takenIndex,
  updateText
} from "./tableText.ts"

type Read<A> = Effect.Effect<A, StorageError>
type Written<A> = Effect.Effect<A, StorageError, Transaction>

/** The error that a description gives, among those of a store. */
const failWith = (error: Error): Effect.Effect<never, StorageError> => Effect.fail(error as StorageError)

/** A value that is made when it is first needed. */
const lazy = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The rows of one table: its statements are made of its description, when they are first needed. */
export class TableRows<Row, Key extends RowKey> {
  private readonly sql: Sql
  private readonly table: Table<Row, Key>

  constructor(sql: Sql, table: Table<Row, Key>) {
    this.sql = sql
    this.table = table
  }

  find(key: Key): Read<Row | undefined> {
    return this.first()(...this.table.keyValues(key))
  }

  findAll(keys: ReadonlyArray<Key>): Read<ReadonlyArray<Row>> {
    const { decode, key, keyValues } = this.table
    const { condition, values } = oneOf(key, keys.map(keyValues))
    return this.sql.all(`${selectText(this.table)} WHERE ${condition}`, decode)(...values)
  }

  lock(key: Key, isShared = false): Written<Row | undefined> {
    const { busy, keyValues, name } = this.table
    const values = keyValues(key)
    const locked = (isShared ? this.lockShared : this.lockOwn)()(...values)
    if (busy === undefined) return locked
    return Effect.flatMap(this.claimKey()(...values), (isClaimed) =>
      isClaimed ? locked : failWith(busy(new Error(`Another transaction holds the row ${key} of ${name}`)))
    )
  }

  scan(after: Key, limit: number): Read<ReadonlyArray<Row>> {
    return this.page()(...this.table.keyValues(after), limit)
  }

  select<Argument>(query: Query<Row, Argument, Key>, argument: Argument, limit: number): Read<ReadonlyArray<Row>> {
    const { ranges, select } = selection(query, argument)
    const { text, values } = this.sql.merge(select, ranges, limit, query.isReversed)
    return this.sql.all(text, this.table.decode)(...values)
  }

  count<Argument>(query: Query<Row, Argument, Key>, argument: Argument, most: number): Read<number> {
    const toCount = ({ counted }: { readonly counted: number }): number => Number(counted)
    return selection(query, argument).ranges.reduce<Read<number>>(
      (before, range) =>
        Effect.flatMap(before, (known) => {
          if (known >= most) return Effect.succeed(known)
          const { text, values } = rangeFilter(`SELECT 1 FROM ${nameOf(this.table)}`, range)
          const count = this.sql.first(`SELECT count(*) AS counted FROM (${text} LIMIT ?) AS found`, toCount)
          return Effect.map(count(...values, most - known), (counted = 0) => known + counted)
        }),
      Effect.succeed(0)
    )
  }

  /** Locks the rows of one range after the other. */
  claim<Argument>(query: Query<Row, Argument, Key>, argument: Argument, limit: number): Written<ReadonlyArray<Row>> {
    const { ranges, select } = selection(query, argument)
    return ranges.reduce<Written<ReadonlyArray<Row>>>(
      (before, range) =>
        Effect.flatMap(before, (found) => {
          if (found.length >= limit) return Effect.succeed(found)
          const { text, values } = rangeFilter(select, range)
          const lock = this.sql.lockFree(`${text}${orderBy([range], query.isReversed)} LIMIT ?`, this.table.decode)
          return Effect.map(lock(...values, limit - found.length), (more) => [...found, ...more])
        }),
      Effect.succeed([])
    )
  }

  insert(rowsOf: ReadonlyArray<(id: number) => Row>): Written<ReadonlyArray<Row>> {
    // Of the columns, only the key follows from the id.
    const rows = rowsOf.map((rowOf) => rowOf(0))
    const made = (ids: ReadonlyArray<number>) => rowsOf.map((rowOf, index) => rowOf(ids[index] ?? 0))
    const added = this.taken === undefined ? this.insertMany()(rows) : Effect.forEach(rows, this.insertUnlessTaken())
    return Effect.map(added, made)
  }

  /** Adds rows with their keys; what becomes of one whose key exists, the table says. */
  readonly add = (rows: ReadonlyArray<Row>): Written<void> => {
    const [row] = rows
    if (row === undefined) return Effect.void
    if (this.table.existing === "kept") return Effect.forEach(rows, this.addUnlessKept(), { discard: true })
    const { valuesOf } = this.insertion()
    return rows.length === 1 ? this.addOne()(...valuesOf(row)) : this.addAll()(rows.map(valuesOf))
  }

  /** Replaces a row that another one had been. */
  save(row: Row, before: Row): Written<void> {
    const { keyOf, keyValues } = this.table
    const key = keyValues(keyOf(row))
    const values = [...this.changing().map(([, { read }]) => read(row)), ...key]
    const { taken } = this
    if (taken === undefined || !this.isMoved(row, before, taken.name)) return this.update()(...values)
    const unique = this.uniqueValues(row)
    return Effect.flatMap(
      Effect.andThen(this.claimUnique(unique), this.updateUnlessTaken()(...values, ...unique, ...key)),
      (isSaved) => (isSaved ? Effect.void : failWith(taken.taken(row)))
    )
  }

  remove(rows: ReadonlyArray<Key>): Written<void> {
    const { keyValues } = this.table
    return this.removal()(rows.map(keyValues))
  }

  purge(before: string, limit: number): Written<void> {
    return this.purging()(before, limit)
  }

  private readonly first = lazy(() => this.sql.first(selectLiveText(this.table), this.table.decode))
  private readonly lockOwn = lazy(() => this.sql.lock(selectLiveText(this.table), this.table.decode))
  private readonly lockShared = lazy(() => this.sql.lockShared(selectLiveText(this.table), this.table.decode))
  private readonly claimKey = lazy(() => this.sql.claim(this.table.name))
  private readonly insertion = lazy(() => insertionInto(this.table))
  private readonly changing = lazy(() => changingColumns(this.table))
  private readonly addOne = lazy(() => this.sql.run(insertionOf(this.insertion().target)))
  private readonly addAll = lazy(() => this.sql.insertAll(this.insertion().target))
  private readonly update = lazy(() => this.sql.run(updateText(this.table)))
  private readonly purging = lazy(() => this.sql.run(purgeText(this.table)))

  private readonly page = lazy(() => {
    const { decode, key } = this.table
    const keys = key.join(", ")
    const from = key.length === 1 ? `${keys} > ?` : `(${keys}) > (${key.map(() => "?").join(", ")})`
    return this.sql.all(`${selectText(this.table)} WHERE ${from} ORDER BY ${keys} LIMIT ?`, decode)
  })

  private readonly insertMany = lazy(() => {
    const { target, valuesOf } = this.insertion()
    const insert = this.sql.insertMany(target)
    return (rows: ReadonlyArray<Row>) => insert(rows.map(valuesOf))
  })

  private readonly addUnlessKept = lazy(() => {
    const { target, valuesOf } = this.insertion()
    const insert = this.sql.tryRun(insertionOf(target), {
      statement: `${selectText(this.table)} WHERE ${keyCondition(this.table)}`,
      places: this.table.key.map((name) => target.columns.findIndex((column) => column.name === name))
    })
    return (row: Row) => insert(...valuesOf(row))
  })

  private readonly removal = lazy(() => {
    const { columns, key } = this.table
    const types = key.map((name) => ({ name, type: columns[name]?.type ?? "text" }))
    return this.sql.removeAll({ table: nameOf(this.table), columns: types }, removalText(this.table))
  })

  private readonly insertUnlessTaken = lazy(() => {
    const { target, valuesOf } = this.insertion()
    const { columns = [], taken, where = [] } = this.taken ?? {}
    const among = where.length === 0 ? "" : ` WHERE ${conditionsText(where)}`
    const insert = this.sql.tryInsert(`${insertionOf(target)} ON CONFLICT (${columns.join(", ")})${among} DO NOTHING`, {
      statement: `${selectText(this.table)} WHERE ${columns.map((name) => `${name} = ?`).join(" AND ")} AND ${conditionsText(where)}`,
      places: columns.map((name) => target.columns.findIndex((column) => column.name === name))
    })
    return (row: Row): Written<number> =>
      Effect.flatMap(Effect.andThen(this.claimUnique(this.uniqueValues(row)), insert(...valuesOf(row))), (id) =>
        id === undefined ? failWith(taken?.(row) ?? new Error("A value is taken")) : Effect.succeed(id)
      )
  })

  private readonly updateUnlessTaken = lazy(() => {
    const index = this.taken ?? { columns: [] }
    const places = [...index.columns, ...this.table.key].map(
      (_, place) => this.changing().length + this.table.key.length + place
    )
    return this.sql.tryRun(
      `${updateText(this.table)} AND NOT EXISTS
    (SELECT 1 FROM ${nameOf(this.table)} AS other WHERE ${othersText(this.table, index, "other.")})`,
      { statement: `${selectText(this.table)} WHERE ${othersText(this.table, index)}`, places }
    )
  })

  private get taken() {
    return takenIndex(this.table)
  }

  /** Whether a row is in an index with other values than one before it. */
  private isMoved(row: Row, before: Row, index: string): boolean {
    if (!isInRange(this.table, { index }, row)) return false
    const earlier = this.uniqueValues(before)
    return (
      !isInRange(this.table, { index }, before) ||
      this.uniqueValues(row).some((value, place) => value !== earlier[place])
    )
  }

  private uniqueValues(row: Row): ReadonlyArray<Value> {
    return (this.taken?.columns ?? []).map((name) => this.table.columns[name]?.read(row))
  }

  /** A row that is not there yet cannot be locked. */
  private claimUnique(values: ReadonlyArray<Value>): Written<void> {
    return claimed(this.sql, `${bareName(this.table.name)} ${this.taken?.name}`, values)
  }
}

/** Reserves a name with values until the transaction ends; see `claim` of {@link Sql}. Fails if it is held for too long. */
export const claimed = (sql: Sql, name: string, values: ReadonlyArray<Value>): Written<void> =>
  Effect.flatMap(sql.claim(name)(...values), (isClaimed) =>
    isClaimed ? Effect.void : failWith(new StorageBusy({}, { cause: new Error(`Another transaction holds ${name}`) }))
  )
