import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { testDatabase } from "../../../adapters/test/support/postgres.ts"
import { temporaryFolder } from "./folder.ts"

/** The kinds of storage that several servers can share, each with a new, empty one as `--storage` takes it. */
export const sharedStorages: Readonly<Record<string, Effect.Effect<string, never, Scope.Scope>>> = {
  SQLite: Effect.map(temporaryFolder, (folder) => `sqlite:${join(folder, "pets.db")}`),
  PostgreSQL: testDatabase
}
