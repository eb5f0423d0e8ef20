import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatCursor } from "../domain/Page.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"

const unsafe = "9999999999999999"

describe("given a cursor in the form of a list that no page of it has", () => {
  for (const last of ["x", "0 Tom", "1 Zed", `${unsafe} Tom`]) {
    it.effect(`when it is to continue pets by name behind ${last}, then it is refused`, () =>
      Effect.gen(function* () {
        const { pets } = yield* Petstore
        const cursor = formatCursor("pets", { name: "T" }, last)
        const error = yield* Effect.flip(pets.list({ name: "T", cursor }))
        assert.strictEqual(error.code, "invalid_cursor")
      }).pipe(Effect.provide(Petstore.layer(memory())))
    )
  }

  for (const last of ["x", "0 1", "5 1", `1 ${unsafe}`]) {
    it.effect(`when it is to continue stock by available units behind ${last}, then it is refused`, () =>
      Effect.gen(function* () {
        const { inventory } = yield* Petstore
        const filter = { maxAvailable: 4, status: "available", sort: "available" } as const
        const error = yield* Effect.flip(inventory.list({ ...filter, cursor: formatCursor("inventory", filter, last) }))
        assert.strictEqual(error.code, "invalid_cursor")
      }).pipe(Effect.provide(Petstore.layer(memory(), { indexes: ["inventory.available"] })))
    )
  }
})
