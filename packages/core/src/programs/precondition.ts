import * as Result from "effect/Result"
import { type NotFound, PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import { type Command, orFail } from "../kernel/Command.ts"
import type { Table } from "../kernel/Table.ts"
import type { Call } from "./Call.ts"
import { notFound } from "./notFound.ts"
import type { ChangeOptions } from "./Options.ts"

/** The preconditions of a change. Only changes over HTTP have the second one. */
export interface Precondition extends Pick<ChangeOptions, "ifVersion"> {
  /** Do not change these versions. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

/** The versions of a precondition, in one form for all that mean the same. */
export const versionsOf = (wanted: Precondition["ifVersion"]): ReadonlyArray<number> | undefined =>
  wanted === undefined ? undefined : [wanted].flat().sort((a, b) => a - b)

/** Fails unless the version is one that the caller accepts; anything else is rejected. */
export const checkVersion = (version: number, options?: Precondition): Result.Result<void, PreconditionFailed> => {
  const wanted = options?.ifVersion
  const met = wanted === undefined || (Array.isArray(wanted) ? wanted.includes(version) : wanted === version)
  return met && options?.unlessVersion?.includes(version) !== true
    ? Result.void
    : Result.fail(new PreconditionFailed({}))
}

/** Locks a row that a caller changes, in the version that the caller accepts. `what`: the resource in messages. */
export function* lockVersion<Row extends { readonly version: number }>(
  { tx }: Call,
  table: Table<Row>,
  id: number,
  what: string,
  options: Precondition | undefined
): Command<Row, NotFound | PreconditionFailed> {
  const row = (yield* tx.lock(table, id)) ?? (yield* notFound(what, id))
  yield* orFail(checkVersion(row.version, options))
  return row
}
