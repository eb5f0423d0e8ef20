/** Commands and their transactions, for programs that run commands. */

export { Failed, type FailureOf, runNow, UnknownRequest, type Yielded } from "./Command.ts"
export { runOnRows, type StoredRows } from "./runOnRows.ts"
export { type Log, orderOf, type Query, type Table } from "./Table.ts"
export { pending, type Reading, type Saved, type Source, Transaction, type Write } from "./Transaction.ts"
