/** Commands and their transactions, for programs that run commands. */

export {
  type Answer,
  type Asked,
  type Command,
  Failed,
  type FailureOf,
  fail,
  Known,
  orFail,
  runNow,
  type Waiting,
  type Yielded
} from "./Command.ts"
export {
  type Column,
  type ColumnType,
  type Computed,
  type Condition,
  columnsOf,
  compareValues,
  hasOneRow,
  hasWords,
  holdsAll,
  type Index,
  isInRange,
  type Log,
  type Path,
  type Query,
  query,
  type Range,
  rangeOf,
  type Stored,
  type Table,
  type TableShape,
  table,
  type Value,
  view
} from "./Table.ts"
export {
  type Purged,
  pending,
  type Reading,
  type Reads,
  type Saved,
  type Source,
  Transaction,
  type Write
} from "./Transaction.ts"
