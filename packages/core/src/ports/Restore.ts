import type * as Effect from "effect/Effect"
import type { AccountRecord, ApiKeyRecord } from "../tables/accessTables.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import type { schema } from "../tables/index.ts"
import type { StorageError } from "./StorageError.ts"

type RowOf<Described> = Described extends { readonly decode: (stored: never) => infer Row } ? Row : never

type Schema = typeof schema

/** The records of each table of a store. A table refers only to tables before it. */
export type TableRecords = { readonly [Name in keyof Schema]: RowOf<Schema[Name]> } & { readonly events: EventRecord }

/** The name of a table of a store. */
export type TableName = keyof TableRecords

/** A change of an account or an API key, with its state after the change, except the time of a key's last use. */
export type AccessChange =
  | { readonly seq: number; readonly account: AccountRecord }
  | { readonly seq: number; readonly apiKey: ApiKeyRecord }

/** Every change of accounts and API keys. A store that has this log writes it by itself. */
export interface AccessLog {
  /** Changes in ascending `seq`, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<AccessChange>, StorageError>
}

/** Records of one table, in the order of a scan. */
export type RestoredRows = {
  readonly [Name in TableName]: { readonly table: Name; readonly rows: ReadonlyArray<TableRecords[Name]> }
}[TableName]

/** What one transaction of a restore adds. The store keeps a note of how far the restore has come, which changes with it. */
export interface RestoreStep {
  /** The required note before it. */
  readonly from: string | undefined
  /** The note after it. */
  readonly note: string
  /** Records to add. Fails if a record with the same key exists, or if a record that it refers to is missing. */
  readonly add?: RestoredRows
  /** Changes of accounts and API keys to make again, in the order of a scan. They receive the next numbers of the log, from 1. */
  readonly replay?: ReadonlyArray<AccessChange>
  /** Rows of API keys to save in place of those that a replay has made. */
  readonly save?: ReadonlyArray<ApiKeyRecord>
}

/**
 * Fills an empty store with the records of another one, with their ids and numbers. Nothing else may write to the store
 * meanwhile.
 */
export interface Restore {
  /** How many records each table has. */
  readonly counts: Effect.Effect<{ readonly [Table in TableName]: number }, StorageError>
  /** The note of an unfinished restore; undefined if there is none. A petstore does not open on a store that has one. */
  readonly note: Effect.Effect<string | undefined, StorageError>
  /** Takes a step as a transaction, if the note is that from which it begins. Returns the note that it has found. */
  readonly step: (step: RestoreStep) => Effect.Effect<string | undefined, StorageError>
  /** Absent if the store keeps no log of accounts and API keys. */
  readonly accessLog?: AccessLog
  /** Removes the note. After that, the store gives ids and numbers above all of its records. */
  readonly finish: Effect.Effect<void, StorageError>
}
