/** Commands and their transactions, for programs that run commands. */

export { Failed, type FailureOf, runNow, type Yielded } from "./Command.ts"
export { runOnRows } from "./runOnRows.ts"
export type { Log, Query, Table } from "./Table.ts"
export { pending, type Reading, type Saved, type Source, Transaction, type Write } from "./Transaction.ts"
