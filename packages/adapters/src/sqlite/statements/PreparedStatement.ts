import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow } from "../../sql/Statement.ts"
import type { HostStatement } from "../host/HostDatabase.ts"

const list = Symbol("values")

/** A row that reads each column from the list of values that SQLite returned. */
class ListedRow {
  readonly [list]: Readonly<Record<number, unknown>>
  readonly [column: string]: unknown

  constructor(values: Readonly<Record<number, unknown>>) {
    this[list] = values
  }
}

const shapes = new Map<string, typeof ListedRow>()

/** The class of rows with these columns: one for all statements that return the same, so that their decoders see one shape. */
const shapeOf = (columns: ReadonlyArray<string>): typeof ListedRow => {
  const name = columns.join()
  let shape = shapes.get(name)
  if (shape === undefined) {
    shape = class extends ListedRow {}
    for (const [index, column] of columns.entries()) {
      Object.defineProperty(shape.prototype, column, {
        get(this: ListedRow) {
          return this[list][index]
        }
      })
    }
    shapes.set(name, shape)
  }
  return shape
}

/**
 * A statement of the store on one connection. Its rows come as lists of values: the objects that SQLite makes are dictionaries,
 * which take more than twice as long to make and to read.
 */
export class PreparedStatement {
  private readonly statement: HostStatement
  private readonly Row: typeof ListedRow

  constructor(statement: HostStatement) {
    statement.setReturnArrays(true)
    this.statement = statement
    this.Row = shapeOf(statement.columns().map(({ name }) => name))
  }

  /** Returns the first row; undefined also for a statement that writes. Columns are getters: read them, do not spread the row. */
  first(values: ReadonlyArray<SqlValue>): StoredRow | undefined {
    const found = this.statement.get(...values)
    return found === undefined ? undefined : new this.Row(found)
  }

  // Never `iterate`: a cursor that is left open pins an old snapshot.
  all(values: ReadonlyArray<SqlValue>): ReadonlyArray<StoredRow> {
    return this.statement.all(...values).map((found) => new this.Row(found))
  }

  /** Adds rows, and returns the number of the last one. */
  insert(values: ReadonlyArray<SqlValue>): number {
    return Number(this.statement.run(...values).lastInsertRowid)
  }
}
