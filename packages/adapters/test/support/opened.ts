import { Storage, type StorageError } from "@petstore/core/ports"
import { Context, Effect, Layer, type Scope } from "effect"
import { type SqliteOptions, sqlite } from "../../src/sqlite/index.ts"

/** A store as an application opens it. */
export const openSqlite = (
  options: string | SqliteOptions
): Effect.Effect<Storage["Service"], StorageError, Scope.Scope> =>
  Effect.map(Layer.build(sqlite(options).layer), (context) => Context.get(context, Storage))
