import { compiled } from "../../sql/rowFunctions.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { StoredRow } from "../../sql/Statement.ts"
import type { HostStatement } from "../host/HostDatabase.ts"

type Values = Readonly<Record<number, unknown>>

const makers = new Map<string, (values: Values) => StoredRow>()

/** Makes a row of the values of its columns: one function for all statements that return the same, so that decoders see one shape. */
const rowMaker = (columns: ReadonlyArray<string>): ((values: Values) => StoredRow) => {
  const text = columns.map((name, place) => `${JSON.stringify(name)}: values[${place}]`).join(", ")
  let maker = makers.get(text)
  if (maker === undefined) {
    maker = compiled(`return (values) => ({ ${text} })`, {}, (values) =>
      Object.fromEntries(columns.map((name, place) => [name, values[place]]))
    )
    makers.set(text, maker)
  }
  return maker
}

/**
 * A statement of the store on one connection. Its rows come as lists of values: the objects that SQLite makes are dictionaries,
 * which take more than twice as long to make and to read.
 */
export class PreparedStatement {
  private readonly statement: HostStatement
  private readonly rowOf: (values: Values) => StoredRow

  constructor(statement: HostStatement) {
    statement.setReturnArrays(true)
    this.statement = statement
    this.rowOf = rowMaker(statement.columns().map(({ name }) => name))
  }

  /** Returns the first row; undefined also for a statement that writes. */
  first(values: ReadonlyArray<SqlValue>): StoredRow | undefined {
    const columns = this.statement.get(...values)
    return columns === undefined ? undefined : this.rowOf(columns)
  }

  // Never `iterate`: a cursor that is left open pins an old snapshot.
  all(values: ReadonlyArray<SqlValue>): ReadonlyArray<StoredRow> {
    return this.statement.all(...values).map(this.rowOf)
  }

  /** Adds rows, and returns the number of the last one. */
  insert(values: ReadonlyArray<SqlValue>): number {
    return Number(this.statement.run(...values).lastInsertRowid)
  }
}
