import { InternalError, StorageUnavailable } from "@petstore/core/domain"
import { Failed } from "@petstore/core/kernel"
import type { StorageError } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { Asked, type Asking, all, first } from "../sql/Program.ts"
import { commitError, isUnreadable, statementError } from "./connection/errors.ts"
import { tables } from "./schema/migrations/index.ts"

const contents = first(
  `SELECT application_id AS owner, (SELECT count(*) FROM sqlite_schema) AS tables,
    (SELECT file FROM pragma_database_list WHERE name = 'main') AS file FROM pragma_application_id`,
  (row: { readonly owner: number; readonly tables: number; readonly file: string }) => row
)

const problems = all(
  `SELECT integrity_check AS problem FROM pragma_integrity_check WHERE integrity_check <> 'ok'
    UNION ALL SELECT 'row ' || coalesce(rowid, 'without an id') || ' of ' || "table" || ' refers to none' FROM pragma_foreign_key_check`,
  ({ problem }: { readonly problem: string }) => problem
)

/**
 * Returns the SQL that creates the tables and marks the file with an `application_id`, if it is empty: undefined if it has that id. Fails
 * for the file of another program. Run both in one transaction.
 */
export function* sqliteSetup(applicationId: number): Asking<string | undefined> {
  const { file, owner, tables: count } = (yield* new Asked(contents)) ?? {}
  if (count === 0) return `${tables}; PRAGMA application_id = ${applicationId}`
  if (owner === applicationId) return undefined
  return yield* new Failed(new InternalError({}, { message: `${file} belongs to another program. Name a new file.` }))
}

/** Finds damaged pages and broken constraints: `inspect` of a store in a SQLite file. */
export const sqliteProblems = (): Asked<ReadonlyArray<string>> => new Asked(problems)

/** The storage error for what a driver throws whose errors have SQLite's code, as a number or by name, and for what `runNow` throws. */
export const sqliteError = (thrown: unknown): StorageError => {
  const cause = Exit.isExit(thrown) && Exit.isFailure(thrown) ? Cause.squash(thrown.cause) : thrown
  if (cause instanceof Error && "_tag" in cause) return cause as StorageError
  return isUnreadable(cause) ? new StorageUnavailable({}, { cause }) : statementError(cause)
}

/** The same for a COMMIT: after most I/O errors, it is unknown what reached the disk. */
export const sqliteCommitError = (thrown: unknown): StorageError => commitError(thrown, sqliteError)
