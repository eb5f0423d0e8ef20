import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { type SqliteOptions, sqlite } from "../index.ts"

const opened = (options: SqliteOptions) =>
  Effect.scoped(Layer.build(Petstore.layer(sqlite(options), { indexes: ["orders.createdAt"] })))

describe("given a file that lacks an index of a list", () => {
  it.effect("when a petstore that must not migrate opens it, then that fails and names the command", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(Layer.build(Petstore.layer(sqlite(file))))
      const refused = yield* Effect.flip(opened({ file, migrate: false }))
      assert.include(
        refused.message,
        'Run "petstore migrate --indexes orders.createdAt", which drops those that it does not name, or open it with migrate: true.'
      )
      yield* opened({ file })
      yield* opened({ file, migrate: false })
    })
  )

  it.effect("when its tables have a prefix of their own, then its indexes have it too", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const options = { file, tablePrefix: "petstore_b_" }
      const indexes = ["pets.updatedAt", "pets.metadata.petstore_x"] as const
      const chosen = { key: "petstore_x", value: "1" }
      yield* Effect.gen(function* () {
        const { categories, pets, records } = yield* Petstore
        const { id: categoryId } = yield* categories.create({ name: "Dogs" })
        const { id } = yield* pets.create({ name: "Rex", categoryId })
        yield* records.update("pets", id, { metadata: { petstore_x: "1" } })
        assert.lengthOf((yield* pets.list({ sort: "updatedAt" })).items, 1)
        assert.lengthOf((yield* pets.list({ metadata: chosen })).items, 1)
      }).pipe(Effect.provide(Petstore.layer(sqlite(options), { indexes })))
    })
  )
})
