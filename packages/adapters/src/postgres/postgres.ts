import { checkRest } from "@petstore/core/domain"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hasher } from "../hasher.ts"
import { sourceOf } from "./connection/sourceOf.ts"
import { HostTransactions } from "./host/HostTransactions.ts"
import { optionsOf, type PostgresOptions } from "./PostgresOptions.ts"
import { withReplica } from "./replica/withReplica.ts"
import { openStore } from "./store.ts"

/** Opens a store on Node.js; `source` is where its connections come from. */
export const openPostgresStore = (options: PostgresOptions, source = Effect.suspend(() => sourceOf(options))) =>
  openStore(options, {
    source,
    withReplica,
    openHostTransactions: HostTransactions.open
  })

/**
 * Stores the petstore in PostgreSQL 14 or later, with the package `pg`. Several servers may use one database.
 *
 * @example
 * ```ts
 * import { postgres } from "@petstore/adapters/postgres"
 * import { createPetstore } from "@petstore/core"
 *
 * const petstore = await createPetstore({ storage: postgres("postgres://petstore@localhost/shop") })
 * ```
 */
export const postgres: (urlOrOptions: string | PostgresOptions) => StorageAdapter = (urlOrOptions, more?: unknown) => {
  checkRest("postgres", '{ url, schema: "shop" }', more)
  const options = optionsOf(urlOrOptions)
  return { name: "postgres", layer: Layer.effect(Storage, openPostgresStore(options)), hasher }
}
