import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Layer from "effect/Layer"
import { hasher } from "../hasher.ts"
import { optionsOf, type PostgresOptions } from "./PostgresOptions.ts"
import { openStore } from "./store.ts"

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
export const postgres = (urlOrOptions: string | PostgresOptions): StorageAdapter => {
  const options = optionsOf(urlOrOptions)
  return { name: "postgres", layer: Layer.effect(Storage, openStore(options)), hasher }
}
