import { PGlite } from "@electric-sql/pglite"
import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import type { Storage } from "@petstore/core/ports"
import type { EmbeddedFixture, StorageFixture } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openPgliteStore, pglite } from "../../src/pglite/pglite.ts"
import { addsIndexes, textToEmpty } from "./postgres/textToEmpty.ts"

/** How the contracts open stores and petstores on one PGlite, each in a schema of its own. */
export const pgliteFixtures = () => {
  let opened: PGlite | undefined
  let schemas = 0
  const free: Array<string> = []
  /** The statements that empty each schema. */
  const emptying = new Map<string, string>()
  const indexed = new Set<string>()
  const places = new WeakMap<object, string>()
  const database = () => (opened ??= new PGlite())
  const schemaOf = (store: Storage["Service"] | Petstore) => places.get(store) ?? "unknown"
  // Tables take longer to make than to empty.
  const fresh = Effect.acquireRelease(
    Effect.sync(() => free.pop() ?? `shop_${++schemas}`),
    (schema) =>
      Effect.promise(async () => {
        if (indexed.has(schema)) return void (await database().exec(`DROP SCHEMA ${schema} CASCADE`))
        const text = emptying.get(schema) ?? (await textToEmpty((query) => database().query(query), schema))
        emptying.set(schema, text)
        await database().exec(text)
        free.push(schema)
      })
  )
  const openStore = (schema: string) =>
    Effect.tap(openPgliteStore(database(), { schema }), (store) => Effect.sync(() => places.set(store, schema)))
  const openPetstore = (schema: string, options: PetstoreOptions = {}) => {
    if (addsIndexes(options)) indexed.add(schema)
    return Effect.acquireRelease(
      Effect.promise(async () => {
        const petstore = await createPetstore({ ...options, storage: pglite(database(), { schema }) })
        places.set(petstore, schema)
        return petstore
      }),
      (petstore) => Effect.promise(() => petstore.close())
    )
  }
  const stores: StorageFixture = {
    open: Effect.flatMap(fresh, openStore),
    openAnother: (store) => Effect.suspend(() => openStore(schemaOf(store))),
    writers: "one"
  }
  const petstores = {
    open: Effect.flatMap(fresh, (schema) => openPetstore(schema)),
    openWith: (options: PetstoreOptions) => Effect.flatMap(fresh, (schema) => openPetstore(schema, options)),
    openAnother: (petstore: Petstore, options?: PetstoreOptions) =>
      Effect.suspend(() => openPetstore(schemaOf(petstore), options))
  } satisfies EmbeddedFixture
  return {
    /** For an empty schema. */
    adapter: Effect.map(fresh, (schema) => pglite(database(), { schema })),
    stores,
    petstores,
    /** Loads PostgreSQL, which takes seconds. */
    load: async () => {
      await database().waitReady
    },
    close: async () => opened?.close()
  }
}
