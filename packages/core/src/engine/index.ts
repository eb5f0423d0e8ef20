/** Commands and their transactions, for programs that run commands. */

export { Failed, type FailureOf, runNow, UnknownRequest, type Yielded } from "./Command.ts"
export { pending, type Reading, type Saved, type Source, Transaction, type Write } from "./Transaction.ts"
export {
  type Column,
  type ColumnType,
  type Computed,
  type Condition,
  type Index,
  holdsAll,
  isInRange,
  type Path,
  type Range,
  rangeOf,
  type Stored,
  type Log,
  type Query,
  type Table,
  type TableShape,
  columnsOf,
  compareValues,
  query,
  table,
  view,
  type Value
} from "./Table.ts"
