import type { Query, Table } from "@petstore/core/engine"
import { rangeFilter } from "../../sql/IndexRange.ts"
import { oneOf } from "../../sql/oneOf.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import {
  insertionInto,
  keyCondition,
  nameOf,
  othersText,
  purgeText,
  type RowKey,
  removalText,
  selection,
  selectText,
  type TakenIndex,
  takenIndex,
  updateText
} from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { bind, bindAll } from "../connection/Connection.ts"
import { mergeRanges } from "./mergeRanges.ts"
import { all, first, insertOwn, partsOf, runOwn, type Statement } from "./Statement.ts"

/** Runs a statement of the transaction. Throws what SQLite throws. */
export type Perform = <A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>) => A

const toCount = ({ counted }: { readonly counted: number }): number => counted

/** The statements of commands on one table, or on a view of it. */
export class TableStatements<Row, Key extends RowKey> {
  /** The index whose values another row may have. */
  readonly takenIndex: TakenIndex<Row> | undefined
  private readonly table: Table<Row, Key>
  private readonly columns: ReadonlyArray<readonly [name: string, read: (row: Row) => Value]>
  /** The column that new rows get an id in. */
  private readonly idPlace: number
  private readonly selectOne: Statement<Row | undefined>
  private readonly selectLast: Statement<number | undefined>
  private readonly insertion: Statement<void>
  private readonly insertions: ReadonlyArray<{ readonly count: number; readonly statement: Statement<number> }>
  private readonly removal: Statement<void>
  private readonly updates = new Map<string, Statement<void>>()

  constructor(table: Table<Row, Key>) {
    this.table = table
    this.takenIndex = takenIndex(table)
    this.columns = Object.entries(table.columns).map(([name, { read }]) => [name, read])
    this.idPlace = this.columns.findIndex(([name]) => name === table.key[0])
    this.selectOne = first(`${selectText(table)} WHERE ${keyCondition(table)}`, table.decode, "lock")
    this.selectLast = first(
      `SELECT max(${table.key[0]}) AS id FROM ${nameOf(table)}`,
      ({ id }: { readonly id: number | null }) => id ?? 0,
      "lock"
    )
    const { target } = insertionInto(table, { withIds: true })
    this.insertion = runOwn(insertionOf(target))
    this.insertions = [32, 8, 2, 1].map((count) => ({ count, statement: insertOwn(target, count) }))
    this.removal = runOwn(removalText(table))
  }

  /** A row, whether or not commands find it. */
  find(perform: Perform, key: Key): Row | undefined {
    return perform(this.selectOne, this.keyValues(key))
  }

  findAll(perform: Perform, keys: ReadonlyArray<Key>): ReadonlyArray<Row> {
    const { decode, key, keyValues } = this.table
    const { condition, values } = oneOf(key, keys.map(keyValues))
    return perform(all(`${selectText(this.table)} WHERE ${condition}`, decode), bind(values))
  }

  select<Argument>(
    perform: Perform,
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> {
    const { ranges, select } = selection(query, argument)
    if (ranges.length === 0) return []
    const { text, values } = mergeRanges(select, ranges, limit, query.isReversed)
    return perform(all(text, this.table.decode), bind(values))
  }

  count<Argument>(perform: Perform, query: Query<Row, Argument, Key>, argument: Argument, most: number): number {
    let counted = 0
    for (const range of selection(query, argument).ranges) {
      if (counted >= most) break
      const { text, values } = rangeFilter(`SELECT 1 FROM ${nameOf(this.table)}`, range, query.isReversed)
      const count = first(`SELECT count(*) AS counted FROM (${text} LIMIT ?)`, toCount, "lock")
      counted += perform(count, bind([...values, most - counted])) ?? 0
    }
    return counted
  }

  /** The rows of one range after the other. */
  claim<Argument>(
    perform: Perform,
    query: Query<Row, Argument, Key>,
    argument: Argument,
    limit: number
  ): ReadonlyArray<Row> {
    const { ranges, select } = selection(query, argument)
    const found: Array<Row> = []
    for (const range of ranges) {
      if (found.length >= limit) break
      const { text, values } = mergeRanges(select, [range], limit - found.length, query.isReversed)
      found.push(...perform(all(text, this.table.decode), bind(values)))
    }
    return found
  }

  lastId(perform: Perform): number {
    return perform(this.selectLast, []) ?? 0
  }

  /** The error of a row whose values another row has. */
  taken(perform: Perform, row: Row): Error | undefined {
    const index = this.takenIndex
    if (index === undefined) return undefined
    const find = all(`${selectText(this.table)} WHERE ${othersText(this.table, index)} LIMIT 1`, () => true)
    const values = index.columns.map((name) => this.table.columns[name]?.read(row))
    const [other] = perform(find, [...bind(values), ...this.keyValues(this.table.keyOf(row))])
    return other === undefined ? undefined : index.taken(row)
  }

  /** The values of a row that is added, with an id that it gets. */
  valuesOf(row: Row, id?: number): ReadonlyArray<Value> {
    const values = this.columns.map(([, read]) => read(row))
    if (id !== undefined) values[this.idPlace] = id
    return values
  }

  /** One row: a statement of many keeps a copy of each page that it changes, and rows with ids go to many pages. */
  insert(perform: Perform, row: Row): void {
    perform(this.insertion, bind(this.valuesOf(row)))
  }

  /** Many rows with each statement if they have ids, which go to the same pages; others one by one. */
  append(perform: Perform, rows: ReadonlyArray<ReadonlyArray<Value>>): void {
    if (!this.table.generatesIds) {
      for (const values of rows) perform(this.insertion, bind(values))
      return
    }
    for (const { count, start, statement } of partsOf(rows.length, this.insertions)) {
      perform(statement, bindAll(rows, start, start + count))
    }
  }

  /** Writes the columns in which two states of a row differ. Each set of columns has a statement of its own; few occur. */
  update(perform: Perform, key: Key, before: Row, row: Row): void {
    const names: Array<string> = []
    const values: Array<Value> = []
    for (const [name, read] of this.columns) {
      const value = read(row)
      if (value === read(before)) continue
      names.push(name)
      values.push(value)
    }
    if (names.length === 0) return
    const assigned = names.join()
    let statement = this.updates.get(assigned)
    if (statement === undefined) {
      statement = runOwn(updateText(this.table, names))
      this.updates.set(assigned, statement)
    }
    perform(statement, [...bind(values), ...this.keyValues(key)])
  }

  remove(perform: Perform, key: Key): void {
    perform(this.removal, this.keyValues(key))
  }

  purge(perform: Perform, before: string, limit: number): void {
    perform(runOwn(purgeText(this.table)), [before, limit])
  }

  private keyValues(key: Key): Array<SqlValue> {
    return bind(this.table.keyValues(key))
  }
}

const known = new Map<object, unknown>()

/** The statements of a table. Few tables exist, so all are kept. */
export const statementsOf = <Row, Key extends RowKey>(table: Table<Row, Key>): TableStatements<Row, Key> => {
  let statements = known.get(table)
  if (statements === undefined) {
    statements = new TableStatements(table)
    known.set(table, statements)
  }
  // They were made of the table.
  return statements as TableStatements<Row, Key>
}
