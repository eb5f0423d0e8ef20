import { Storage, type StorageError } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type SqliteOptions, sqlite } from "../../src/sqlite/index.ts"

/** A store as an application opens it. */
export const openSqlite = (
  options: string | SqliteOptions
): Effect.Effect<Storage["Service"], StorageError, Scope.Scope> =>
  Effect.map(Layer.build(sqlite(options).layer), (context) => Context.get(context, Storage))
