import type * as Effect from "effect/Effect"
import type { AccountRecord, ApiKeyRecord } from "../access/accessTables.ts"
import type { EventRecord } from "../events/eventTable.ts"
import type { schema } from "../tables/index.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

type RowOf<Described> = Described extends { readonly decode: (stored: never) => infer Row } ? Row : never

type Schema = typeof schema

/** The records of each table of a store. A table refers only to tables before it. */
export type TableRecords = { readonly [Name in keyof Schema]: RowOf<Schema[Name]> } & { readonly events: EventRecord }

/** The name of a table of a store. */
export type TableName = keyof TableRecords

/** A change of an account or an API key, with all of it after the change but the time of a key's last use. */
export type AccessChange =
  | { readonly seq: number; readonly account: AccountRecord }
  | { readonly seq: number; readonly apiKey: ApiKeyRecord }

/** Every change of accounts and API keys. A store that has this log writes it by itself. */
export interface AccessLog {
  /** Changes in ascending `seq`, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<AccessChange>, StorageError>
  /** Makes changes again, in the order of a scan. They get the next numbers of the log, from 1 in an empty store. */
  readonly replay: (changes: ReadonlyArray<AccessChange>) => Effect.Effect<void, StorageError, Transaction>
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
  /** The same note, which no other transaction can change until this one ends. */
  readonly lockNote: Effect.Effect<string | undefined, StorageError, Transaction>
  /** Sets the note, which says how far the restore has come. */
  readonly saveNote: (note: string) => Effect.Effect<void, StorageError, Transaction>
  /** Adds records in the order of a scan. Fails if there is one with the same key, or if a record that it refers to is missing. */
  readonly add: <Name extends TableName>(
    table: Name,
    records: ReadonlyArray<TableRecords[Name]>
  ) => Effect.Effect<void, StorageError, Transaction>
  /** Absent if the store keeps no log of accounts and API keys. */
  readonly accessLog?: AccessLog
  /** Removes the note. From then on the store gives ids and numbers above all of its records. */
  readonly finish: Effect.Effect<void, StorageError, Transaction>
}
