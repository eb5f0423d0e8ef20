import type { StorageAdapter } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sqlite } from "../../src/sqlite/sqlite.ts"

/** A store on a file with a watch beside those of the petstore that uses it. */
export const watchedSqlite = (file: string, ...watch: Parameters<Storage["Service"]["watch"]>): StorageAdapter => ({
  name: "watched",
  layer: Layer.effect(
    Storage,
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(sqlite(file).layer), Storage)
      yield* store.watch(...watch)
      return store
    })
  )
})
