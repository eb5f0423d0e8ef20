import type { Table } from "@petstore/core/kernel"
import { Asked } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import { columnsOfSum, differenceReader, valuesReader } from "../../sql/rowFunctions.ts"
import { first, run, type Statement } from "../../sql/Statement.ts"
import { insertionInto, nameOf, purgeText, type RowKey, removalText, updateText } from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"
import { manyRows, partsOf, rowCounts, valuesOfRows } from "./partsOf.ts"

/** Writes some of the columns of a row. */
interface Update<Row> {
  readonly statement: Statement<void>
  readonly read: (row: Row) => Array<Value>
}

/** The statements that write the rows of one table. */
export class TableWrites<Row, Key extends RowKey> {
  /** What the table is called in the database. */
  readonly name: string
  private readonly table: Table<Row, Key>
  private readonly read: ReturnType<typeof valuesReader<Row>>
  private readonly compare: ReturnType<typeof differenceReader<Row>>
  /** The column that new rows get an id in. */
  private readonly idPlace: number
  private readonly selectLast: Statement<number | undefined>
  private readonly insertion: Statement<void>
  private readonly insertions: ReadonlyArray<{ readonly count: number; readonly statement: Statement<void> }>
  private readonly removal: Statement<void>
  private readonly updates = new Map<number, Update<Row>>()

  constructor(table: Table<Row, Key>) {
    this.table = table
    this.name = nameOf(table)
    this.read = valuesReader(table.columns)
    this.compare = differenceReader(table.columns)
    this.idPlace = Object.keys(table.columns).indexOf(table.key[0] ?? "")
    this.selectLast = first(
      `SELECT max(${table.key[0]}) AS id FROM ${nameOf(table)}`,
      ({ id }: { readonly id: number | null }) => id ?? 0
    )
    const { target } = insertionInto(table, { withIds: true })
    this.insertion = run(insertionOf(target))
    this.insertions = rowCounts.map((count) => ({ count, statement: run(insertionOf(target, count)) }))
    this.removal = run(removalText(table))
  }

  /** The greatest id. */
  get lastId(): Asked<number | undefined> {
    return new Asked(this.selectLast)
  }

  /** The values of a row that is added, with a new id. */
  valuesOf(row: Row, id?: number): ReadonlyArray<Value> {
    const values = this.read(row)
    if (id !== undefined) values[this.idPlace] = id
    return values
  }

  /** One row: a statement of many keeps a copy of each page that it changes, and rows with ids go to many pages. */
  insert(row: Row): Asked<void> {
    return new Asked(this.insertion, this.valuesOf(row))
  }

  /** Many rows with each statement if they go to the same pages: those with ids, and very many. Others one by one. */
  append(rows: ReadonlyArray<ReadonlyArray<Value>>): ReadonlyArray<Asked<void>> {
    if (!this.table.generatesIds && rows.length < manyRows)
      return rows.map((values) => new Asked(this.insertion, values))
    return partsOf(rows.length, this.insertions).map(
      ({ count, start, statement }) => new Asked(statement, valuesOfRows(rows, start, count))
    )
  }

  /**
   * Writes the columns in which two states of a row differ; undefined if none does. Each set of columns has a statement of its own;
   * few occur.
   */
  update(key: Key, before: Row, row: Row): Asked<void> | undefined {
    const sum = this.compare(before, row)
    if (sum === 0) return undefined
    let update = this.updates.get(sum)
    if (update === undefined) {
      const changed = columnsOfSum(this.table.columns, sum)
      update = { statement: run(updateText(this.table, Object.keys(changed))), read: valuesReader(changed) }
      this.updates.set(sum, update)
    }
    return new Asked(update.statement, [...update.read(row), ...this.table.keyValues(key)])
  }

  remove(key: Key): Asked<void> {
    return new Asked(this.removal, this.table.keyValues(key))
  }

  purge(before: string, limit: number): Asked<void> {
    return new Asked(run(purgeText(this.table)), [before, limit])
  }
}

const known = new Map<object, unknown>()

/** The statements that write a table. Few tables exist, so all are kept. */
export const writesOf = <Row, Key extends RowKey>(table: Table<Row, Key>): TableWrites<Row, Key> => {
  let writes = known.get(table)
  if (writes === undefined) {
    writes = new TableWrites(table)
    known.set(table, writes)
  }
  // They were made of the table.
  return writes as TableWrites<Row, Key>
}
