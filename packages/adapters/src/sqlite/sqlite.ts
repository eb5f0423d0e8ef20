import { checkRest } from "@petstore/core/domain"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hasher } from "../hasher.ts"
import { optionsOf, type SqliteOptions } from "./SqliteOptions.ts"
import { openStore } from "./store.ts"

/**
 * Stores the petstore in a SQLite file, with `node:sqlite`. Several processes may use one file.
 *
 * @example
 * ```ts
 * import { sqlite } from "@petstore/adapters/sqlite"
 * import { createPetstore } from "@petstore/core"
 *
 * const petstore = await createPetstore({ storage: sqlite("petstore.db") })
 * ```
 */
export const sqlite: (fileOrOptions: string | SqliteOptions) => StorageAdapter = (fileOrOptions, more?: unknown) => {
  checkRest("sqlite", "{ file, migrate: false }", more)
  const options = optionsOf(fileOrOptions)
  return {
    name: "sqlite",
    layer: Layer.effect(
      Storage,
      Effect.map(openStore(options), ({ store }) => store)
    ),
    hasher
  }
}
