import {
  migrationSql,
  migrationState,
  type PostgresOptions,
  postgres,
  schemaProblems
} from "@petstore/adapters/postgres"
import { InternalError, PetstoreError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageAdapter, StorageError } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { DatabaseUnreachable, SubcommandFailed } from "./errors.ts"
import { type PostgresDatabase, placeOf } from "./PostgresUrl.ts"

/** A database of a PostgreSQL server, and the schema of the tables in it. */
export interface PostgresSchema {
  readonly storage: PostgresDatabase
  readonly schema: string
}

const isStorageError = <E>(error: E | StorageError): error is StorageError => error instanceof PetstoreError

/** What the driver reports: a hostname with several addresses has an error for each. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(", ")
  return cause instanceof Error ? cause.message : String(cause)
}

/** The adapter names the address too. */
const opening = /^Cannot open the store at (?:\S+|the database): /

/** Fails with `DatabaseUnreachable` if a later attempt may succeed. */
const explain =
  ({ schema, storage }: PostgresSchema) =>
  (error: StorageError): DatabaseUnreachable | SubcommandFailed => {
    const mayRecover = error instanceof StorageBusy || error instanceof StorageUnavailable
    const isGeneral = mayRecover || error.message === new InternalError({}).message
    const reason = isGeneral && error.cause !== undefined ? reasonOf(error.cause) : error.message.replace(opening, "")
    const message = `Cannot open the schema ${schema} of PostgreSQL at ${placeOf(storage)}: ${reason}`
    return mayRecover ? new DatabaseUnreachable({ message }) : new SubcommandFailed({ message })
  }

const optionsOf = ({ schema, storage }: PostgresSchema) => ({
  ...storage.options,
  url: Redacted.value(storage.url),
  ...(storage.replica === undefined ? {} : { replica: Redacted.value(storage.replica) }),
  schema
})

/** The storage of a schema. */
export const schemaStorage = (database: PostgresSchema, options: Pick<PostgresOptions, "migrate">): StorageAdapter =>
  postgres({ ...options, ...optionsOf(database) })

/** Explains why a schema cannot be opened. The layer is built anew each time, so that a later attempt may succeed. */
export const explained = <A, E, R>(
  database: PostgresSchema,
  layer: Layer.Layer<A, E | StorageError, R>
): Layer.Layer<A, E | DatabaseUnreachable | SubcommandFailed, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.mapError(Layer.build(Layer.fresh(layer)), (error) =>
      isStorageError(error) ? explain(database)(error) : error
    )
  )

/** Lists the migrations of this release and of a schema. */
export const migrationsOfSchema = (database: PostgresSchema) =>
  Effect.mapError(migrationState(optionsOf(database)), explain(database))

/** The SQL that would migrate a schema; undefined if it is up to date. */
export const migrationSqlOfSchema = (database: PostgresSchema) =>
  Effect.mapError(migrationSql(optionsOf(database)), explain(database))

/** What differs in a schema from that of this release. */
export const problemsOfSchema = (database: PostgresSchema) =>
  Effect.mapError(schemaProblems(optionsOf(database)), explain(database))
