import { StorageBusy } from "@petstore/core/domain"
import { isInRange, type Query, type Table } from "@petstore/core/engine"
import type { StorageError, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { orderBy, rangeFilter } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { insertionOf, type RowTarget } from "./RowTarget.ts"
import type { Conflict, Sql, Query as SqlQuery, Value } from "./Sql.ts"
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
  type TakenIndex,
  takenIndex,
  updateText
} from "./tableText.ts"

type Read<A> = Effect.Effect<A, StorageError>
type Written<A> = Effect.Effect<A, StorageError, Transaction>

/** The error that a description gives, among those of a store. */
const failWith = (error: Error): Effect.Effect<never, StorageError> => Effect.fail(error as StorageError)

/** A value that is made when it is first needed. */
const lazy = <A, From extends ReadonlyArray<unknown>>(make: (...from: From) => A): ((...from: From) => A) => {
  let made: A | undefined
  return (...from) => {
    made ??= make(...from)
    return made
  }
}

/** The rows of one table: its statements are made of its description, when they are first needed. */
export class TableRows<Row, Key extends RowKey> {
  private readonly sql: Sql
  private readonly table: Table<Row, Key>
  /** The statements that scan, by how many columns they begin behind. */
  private readonly pages: Array<SqlQuery<ReadonlyArray<Row>>> = []
  /** The index whose values another row may have. */
  private readonly index: TakenIndex<Row> | undefined

  constructor(sql: Sql, table: Table<Row, Key>) {
    this.sql = sql
    this.table = table
    this.index = takenIndex(table)
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

  /** Behind the values of some of the columns of a key, or from the first row. */
  scan(after: ReadonlyArray<Value>, limit: number): Read<ReadonlyArray<Row>> {
    const { length } = after
    let page = this.pages[length]
    if (page === undefined) {
      const { decode, key } = this.table
      const columns = key.slice(0, length).join(", ")
      const from =
        length === 0
          ? ""
          : length === 1
            ? ` WHERE ${columns} > ?`
            : ` WHERE (${columns}) > (${after.map(() => "?").join(", ")})`
      page = this.sql.all(`${selectText(this.table)}${from} ORDER BY ${key.join(", ")} LIMIT ?`, decode)
      this.pages[length] = page
    }
    return page(...after, limit)
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
    const { index } = this
    const added = index === undefined ? this.insertMany()(rows) : Effect.forEach(rows, this.insertUnlessTaken(index))
    return Effect.map(added, made)
  }

  /** Adds rows with the keys that they have, reserved ids among them. */
  addWithKeys(rows: ReadonlyArray<Row>): Written<void> {
    const { index, table } = this
    if (!table.generatesIds) return this.add(rows)
    if (index !== undefined) return Effect.forEach(rows, this.addUnlessTaken(index), { discard: true })
    return this.addAllWithIds()(rows.map(this.insertionWithIds().valuesOf))
  }

  /** Adds rows with their keys; what becomes of one whose key exists, the table says. */
  readonly add = (rows: ReadonlyArray<Row>): Written<void> => {
    const [row] = rows
    if (row === undefined) return Effect.void
    if (this.table.existing === "kept") return Effect.forEach(rows, this.addUnlessKept(), { discard: true })
    const { target, valuesOf } = this.insertion()
    return rows.length === 1 && target.generatesIds === undefined
      ? this.addOne()(...valuesOf(row))
      : this.addAll()(rows.map(valuesOf))
  }

  /** Replaces a row that another one had been. */
  save(row: Row, before: Row): Written<void> {
    const { keyOf, keyValues } = this.table
    const key = keyValues(keyOf(row))
    const values = [...this.changing().map(([, { read }]) => read(row)), ...key]
    const { index } = this
    if (index === undefined || !this.isMoved(row, before, index)) return this.update()(...values)
    const update = this.updateUnlessTaken(index)(
      ...values,
      ...index.columns.map((name) => this.read(name, row)),
      ...key
    )
    return Effect.flatMap(Effect.andThen(this.claimUnique(index, row), update), (isSaved) =>
      isSaved ? Effect.void : failWith(index.taken(row))
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
  private readonly insertionWithIds = lazy(() => insertionInto(this.table, { withIds: true }))
  private readonly addAllWithIds = lazy(() => this.sql.insertAll(this.insertionWithIds().target))
  private readonly changing = lazy(() => changingColumns(this.table))
  private readonly addOne = lazy(() => this.sql.run(insertionOf(this.insertion().target)))
  private readonly addAll = lazy(() => this.sql.insertAll(this.insertion().target))
  private readonly update = lazy(() => this.sql.run(updateText(this.table)))
  private readonly purging = lazy(() => this.sql.run(purgeText(this.table)))

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

  /** The statement that adds a row unless its values are taken, and the row that has them. */
  private unlessTaken({ columns, where }: TakenIndex<Row>, target: RowTarget): readonly [string, Conflict] {
    const among = where.length === 0 ? "" : ` WHERE ${conditionsText(where)}`
    const equal = columns.map((name) => `${name} = ?`).join(" AND ")
    return [
      `${insertionOf(target)} ON CONFLICT (${columns.join(", ")})${among} DO NOTHING`,
      {
        statement: `${selectText(this.table)} WHERE ${equal} AND ${conditionsText(where)}`,
        places: columns.map((name) => target.columns.findIndex((column) => column.name === name))
      }
    ]
  }

  private readonly addUnlessTaken = lazy((index: TakenIndex<Row>) => {
    const { target, valuesOf } = this.insertionWithIds()
    const insert = this.sql.tryRun(...this.unlessTaken(index, target))
    return (row: Row): Written<void> =>
      Effect.flatMap(Effect.andThen(this.claimUnique(index, row), insert(...valuesOf(row))), (isAdded) =>
        isAdded ? Effect.void : failWith(index.taken(row))
      )
  })

  private readonly insertUnlessTaken = lazy((index: TakenIndex<Row>) => {
    const { taken } = index
    const { target, valuesOf } = this.insertion()
    const insert = this.sql.tryInsert(...this.unlessTaken(index, target))
    return (row: Row): Written<number> =>
      Effect.flatMap(Effect.andThen(this.claimUnique(index, row), insert(...valuesOf(row))), (id) =>
        id === undefined ? failWith(taken(row)) : Effect.succeed(id)
      )
  })

  private readonly updateUnlessTaken = lazy((index: TakenIndex<Row>) => {
    const first = this.changing().length + this.table.key.length
    return this.sql.tryRun(
      `${updateText(this.table)} AND NOT EXISTS
    (SELECT 1 FROM ${nameOf(this.table)} AS other WHERE ${othersText(this.table, index, "other.")})`,
      {
        statement: `${selectText(this.table)} WHERE ${othersText(this.table, index)}`,
        places: [...index.columns, ...this.table.key].map((_, place) => first + place)
      }
    )
  })

  /** Whether a row is in an index with other values than one before it. */
  private isMoved(row: Row, before: Row, { columns, name }: TakenIndex<Row>): boolean {
    if (!isInRange(this.table, { index: name }, row)) return false
    const isChanged = (column: string): boolean => this.read(column, row) !== this.read(column, before)
    return columns.some(isChanged) || !isInRange(this.table, { index: name }, before)
  }

  private read(column: string, row: Row): Value {
    return this.table.columns[column]?.read(row)
  }

  /** A row that is not there yet cannot be locked. */
  private claimUnique({ columns, name }: TakenIndex<Row>, row: Row): Written<void> {
    const values = columns.map((column) => this.read(column, row))
    return claimed(this.sql, `${bareName(this.table.name)} ${name}`, values)
  }
}

/** Reserves a name with values until the transaction ends; see `claim` of {@link Sql}. Fails if it is held for too long. */
export const claimed = (sql: Sql, name: string, values: ReadonlyArray<Value>): Written<void> =>
  Effect.flatMap(sql.claim(name)(...values), (isClaimed) =>
    isClaimed ? Effect.void : failWith(new StorageBusy({}, { cause: new Error(`Another transaction holds ${name}`) }))
  )
