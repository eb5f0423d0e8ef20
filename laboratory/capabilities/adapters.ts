import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { petstoreFixture } from "../../examples/custom-adapter/test/petstoreFixture.ts"
import { storageFixture } from "../../examples/custom-adapter/test/storageFixture.ts"
import { pgliteFixtures } from "../../packages/adapters/test/support/pgliteFixtures.ts"
import { FreshStores } from "../../packages/adapters/test/support/postgres/FreshStores.ts"
import { postgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { sqlitePetstores, sqliteStores } from "../../packages/adapters/test/support/sqliteFixtures.ts"
import { memoryPetstores, memoryStores } from "../../packages/core/test/support/memoryFixtures.ts"
import type { TestedAdapter } from "./TestedAdapter.ts"

/** The database that the PostgreSQL adapter is tested on, on a server of its own; both go with the scope. */
const database: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  postgresServer({ settings: { fsync: false } }),
  (server) => server.url()
)

/** Every adapter of the repository with its fixtures. Nothing is opened before a case runs. */
export const testedAdapters = (): ReadonlyArray<TestedAdapter> => {
  const postgres = new FreshStores(database)
  const pglite = pgliteFixtures()
  return [
    { name: "memory", stores: memoryStores, petstores: memoryPetstores },
    { name: "sqlite", stores: sqliteStores, petstores: sqlitePetstores },
    { name: "postgres", stores: postgres.storage(), petstores: postgres.petstores, close: () => postgres.close() },
    { name: "pglite", ...pglite },
    { name: "LMDB example", stores: storageFixture, petstores: petstoreFixture }
  ]
}
