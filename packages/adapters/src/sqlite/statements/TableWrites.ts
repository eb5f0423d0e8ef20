import type { Table } from "@petstore/core/kernel"
import { Asked, execute, first, type Statement } from "../../sql/Program.ts"
import { insertionOf, type RowTarget } from "../../sql/RowTarget.ts"
import { columnsOfSum, differenceReader, valuesReader } from "../../sql/rowFunctions.ts"
import {
  insertionInto,
  nameOf,
  purgeText,
  type RowKey,
  removalText,
  takenIndex,
  updateText
} from "../../sql/tableText.ts"
import type { Value } from "../../sql/Value.ts"

/** How many rows the statements that add many rows have: few statements, for any number of rows. */
const rowCounts = [128, 64, 32, 16, 8, 4, 2, 1]

/** From this number of rows on, those that are added together come from one command, and go to the same pages. */
const manyRows = 256

/** Returns a function that divides rows among statements, of which the largest come first. `make` makes one of its text. */
export const insertionsInto = <A>(target: RowTarget, make: (text: string) => A) => {
  const statements = rowCounts.map((count) => ({ count, statement: make(insertionOf(target, count)) }))
  return (rows: ReadonlyArray<ReadonlyArray<Value>>) => {
    const parts: Array<{ readonly statement: A; readonly values: ReadonlyArray<Value> }> = []
    let end = 0
    for (const { count, statement } of statements) {
      while (rows.length - end >= count) {
        const values: Array<Value> = []
        // In half of the time of `flat`.
        for (const last = end + count; end < last; end++) for (const value of rows[end] ?? []) values.push(value)
        parts.push({ statement, values })
      }
    }
    return parts
  }
}

/** A row as it is now, and as the database has it; undefined if there is none. */
interface Change<Row, Key> {
  readonly key: Key
  readonly before: Row | undefined
  readonly row: Row | undefined
}

/** Writes some of the columns of rows. */
interface Update<Row> {
  readonly names: ReadonlyArray<string>
  readonly read: (row: Row) => Array<Value>
  /** By how many rows they have room for. */
  readonly statements: Map<number, Statement<void>>
}

/** Rows that get the same values. */
interface Alike<Row, Key> {
  readonly update: Update<Row>
  readonly values: ReadonlyArray<Value>
  readonly keys: Array<Key>
}

/** Rows of a statement that changes many. */
const mostAlike = 128

/** A statement that writes, with its values. */
export type Written = Pick<Asked<void>, "statement" | "values">

/** The statements that write the rows of one table. */
export class TableWrites<Row, Key extends RowKey> {
  /** What the table is called in the database. */
  readonly name: string
  /** Whether another row may have a value of a row. */
  readonly mayBeTaken: boolean
  private readonly table: Table<Row, Key>
  private readonly read: ReturnType<typeof valuesReader<Row>>
  private readonly compare: ReturnType<typeof differenceReader<Row>>
  /** The column that new rows get an id in. */
  private readonly idPlace: number
  private readonly selectLast: Statement<number | undefined>
  private readonly insertion: Statement<void>
  private readonly insertions: ReturnType<typeof insertionsInto<Statement<void>>>
  private readonly removal: Statement<void>
  private readonly mostAlike: number
  private readonly updates = new Map<number, Update<Row>>()

  constructor(table: Table<Row, Key>) {
    this.table = table
    this.name = nameOf(table)
    this.mayBeTaken = takenIndex(table) !== undefined
    this.read = valuesReader(table.columns)
    this.compare = differenceReader(table.columns)
    this.idPlace = Object.keys(table.columns).indexOf(table.key[0] ?? "")
    this.selectLast = first(
      `SELECT max(${table.key[0]}) AS id FROM ${nameOf(table)}`,
      ({ id }: { readonly id: number | null }) => id ?? 0
    )
    const { target } = insertionInto(table, { withIds: true })
    this.insertion = execute(insertionOf(target))
    this.insertions = insertionsInto(target, execute)
    this.removal = execute(removalText(table))
    this.mostAlike = table.key.length === 1 ? mostAlike : 1
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

  /**
   * New rows of several commands: many with each statement if their keys ascend. Those with ids go to many pages by their indexes, of each
   * of which a statement of many keeps a copy.
   */
  private insert(rows: ReadonlyArray<ReadonlyArray<Value>>): ReadonlyArray<Written> {
    const { existing, generatesIds } = this.table
    return generatesIds || existing !== undefined ? this.oneByOne(rows) : this.insertions(rows)
  }

  /** Many rows with each statement if they go to the same pages: those with ids, and very many. Others one by one. */
  append(rows: ReadonlyArray<ReadonlyArray<Value>>): ReadonlyArray<Written> {
    return this.table.generatesIds || rows.length >= manyRows ? this.insertions(rows) : this.oneByOne(rows)
  }

  private oneByOne(rows: ReadonlyArray<ReadonlyArray<Value>>): ReadonlyArray<Written> {
    return rows.map((values) => ({ statement: this.insertion, values }))
  }

  /**
   * Inserts new rows, and writes the columns in which the others differ from what they were. Each set of columns has a statement of its own;
   * few occur. Rows that follow one another and get the same values share one: those of a queue change many at a time.
   */
  changes(rows: Iterable<Change<Row, Key>>): ReadonlyArray<Written> {
    const written: Array<Written> = []
    let fresh: Array<ReadonlyArray<Value>> = []
    let alike: Alike<Row, Key> | undefined
    const end = (): void => {
      if (alike !== undefined) written.push(this.set(alike))
      else if (fresh.length > 0) written.push(...this.insert(fresh))
      alike = undefined
      fresh = []
    }
    for (const { before, key, row } of rows) {
      if (row === undefined) continue
      if (before === undefined) {
        if (alike !== undefined) end()
        fresh.push(this.read(row))
        continue
      }
      const sum = this.compare(before, row)
      if (sum === 0) continue
      const update = this.updateOf(sum)
      const values = update.read(row)
      if (alike?.update !== update || alike.keys.length === this.mostAlike || !areEqual(values, alike.values)) {
        if (alike !== undefined || fresh.length > 0) end()
        alike = { update, values, keys: [] }
      }
      alike.keys.push(key)
    }
    end()
    return written
  }

  private updateOf(sum: number): Update<Row> {
    let update = this.updates.get(sum)
    if (update === undefined) {
      const changed = columnsOfSum(this.table.columns, sum)
      update = { names: Object.keys(changed), read: valuesReader(changed), statements: new Map() }
      this.updates.set(sum, update)
    }
    return update
  }

  private set({ keys, update: { names, statements }, values }: Alike<Row, Key>): Written {
    const { key, keyValues } = this.table
    const places = 2 ** Math.ceil(Math.log2(keys.length))
    let statement = statements.get(places)
    if (statement === undefined) {
      const rows = places === 1 ? undefined : `${key[0]} IN (${Array(places).fill("?").join(", ")})`
      statement = execute(updateText(this.table, names, rows))
      statements.set(places, statement)
    }
    const all = [...values]
    for (const one of keys) all.push(...keyValues(one))
    for (let place = keys.length; place < places; place++) all.push(null)
    return { statement, values: all }
  }

  remove(key: Key): Written {
    return { statement: this.removal, values: this.table.keyValues(key) }
  }

  purge(before: string, limit: number): Written {
    return { statement: execute(purgeText(this.table)), values: [before, limit] }
  }
}

const areEqual = (some: ReadonlyArray<Value>, others: ReadonlyArray<Value>): boolean =>
  some.every((value, place) => value === others[place])

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
