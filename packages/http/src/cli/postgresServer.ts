import {
  createSchema,
  dropSchema,
  durability,
  migrationSql,
  migrationState,
  postgres,
  schemaProblems,
  transactionScript
} from "@petstore/adapters/postgres"
import { InternalError, PetstoreError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { DatabaseUnreachable, SubcommandFailed } from "./errors.ts"
import { type PostgresDatabase, placeOf } from "./PostgresUrl.ts"

/** A database of a PostgreSQL server, and the schema of the tables in it. */
interface PostgresSchema {
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

/** What subcommands do with a schema. */
export const schemaAccess = (database: PostgresSchema) => {
  const options = optionsOf(database)
  postgres(options)
  const withReason = Effect.mapError(explain(database))
  return {
    created: Effect.sync(() => postgres({ ...options, migrate: true })),
    existing: () => Effect.sync(() => postgres({ ...options, migrate: false })),
    checkMigrated: Effect.void,
    migrations: withReason(migrationState(options)),
    migrationSql: withReason(migrationSql(options)),
    problems: withReason(schemaProblems(options)),
    script: (lines: ReadonlyArray<string>) =>
      lines.every((line) => line.startsWith("--")) ? lines.join("\n") : transactionScript(...lines),
    durability: withReason(durability(options)),
    /** Creates the schema for its owner, unless there is one. */
    create: (owner: string) => withReason(createSchema(options, owner)),
    /** Drops the schema with all its tables if it was created for this owner. */
    drop: (owner: string) => withReason(dropSchema(options, owner)),
    // The layer is built anew each time, so that a later attempt may succeed.
    explained: <A, E>(petstore: Layer.Layer<A, E | StorageError>) =>
      Layer.effectContext(
        Effect.mapError(Layer.build(Layer.fresh(petstore)), (error) =>
          isStorageError(error) ? explain(database)(error) : error
        )
      )
  }
}
