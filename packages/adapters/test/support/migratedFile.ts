import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { defaultPrefix } from "../../src/sqlite/connection/Connection.ts"
import { openStore } from "../../src/sqlite/store.ts"
import { temporaryFileInMemory } from "./temporary.ts"

/** A store without rows as bytes, by the prefix of its tables. */
const templates = new Map<string, Uint8Array>()

const templateOf = (tablePrefix: string): Effect.Effect<Uint8Array> =>
  Effect.gen(function* () {
    const file = yield* temporaryFileInMemory
    yield* Effect.scoped(openStore({ file, tablePrefix }))
    const made = readFileSync(file)
    templates.set(tablePrefix, made)
    return made
  }).pipe(Effect.scoped, Effect.orDie)

/**
 * The path of a database file in memory that has the tables of a store, and no rows. It is a copy: migrations are two thirds of
 * what it takes to open a new store.
 */
export const migratedFile = (tablePrefix = defaultPrefix): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const bytes = templates.get(tablePrefix) ?? (yield* templateOf(tablePrefix))
    const file = yield* temporaryFileInMemory
    writeFileSync(file, bytes)
    return file
  })
