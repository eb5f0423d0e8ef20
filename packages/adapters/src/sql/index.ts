/**
 * What adapters of SQL databases are made of: the statements of a store, derived from the descriptions of the tables. A new
 * adapter is a driver, a dialect and a commit strategy: it implements {@link Sql} on its driver, creates the tables by
 * {@link definitions}, and says how transactions begin and end.
 */

export { writeCheck as sqliteWriteCheck } from "../sqlite/commit/Readiness.ts"
export { sqliteCommitError, sqliteError, sqliteProblems, sqliteSetup } from "../sqlite/otherDriver.ts"
export { tables as sqliteTables } from "../sqlite/schema/migrations/index.ts"
export { mergeRanges as sqliteRanges } from "../sqlite/statements/mergeRanges.ts"
export { type ReservedIds, reserveIds, sqliteStatements } from "../sqlite/statements/sqliteStatements.ts"
export { CommandStatements, type OpenEvents } from "./CommandStatements.ts"
export { type DefinitionDialect, definitions } from "./definition.ts"
export { type EventFormat, type EventRow, EventStatements } from "./EventStatements.ts"
export type { BoundStatement, IndexRange, MergeRanges } from "./IndexRange.ts"
export { OpenSnapshots } from "./OpenSnapshots.ts"
export {
  type AnyRequest,
  Asked,
  type Asking,
  all,
  Changed,
  Claimed,
  execute as run,
  Filled,
  first,
  NewIds,
  type Program,
  runAsync,
  runNow,
  runProgram,
  type Statement,
  type StoredRow,
  type Use
} from "./Program.ts"
export { insertionOf, type RowTarget } from "./RowTarget.ts"
export { type RestoreDialect, restore } from "./restore/restore.ts"
export type { Sql, Transact } from "./Sql.ts"
export { rows } from "./TableStatements.ts"
export type { Value } from "./Value.ts"
