import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { memory, Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const included = { include: "record" } as const

describe("the types of records in resources", () => {
  it("given no include, then a promise has no record, and with it the typed one", async () => {
    const petstore = await createPetstore({ metadata: { pets: Schema.Struct({ chip: Schema.String }) } })
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const { id } = await petstore.pets.create({ name: "Rex", categoryId })
    await petstore.records.update("pets", id, { metadata: { chip: "276" } })
    const chip: string = (await petstore.pets.get(id, included)).record.metadata.chip
    assert.strictEqual(chip, "276")
    for await (const { record } of petstore.pets.all(included)) assert.strictEqual(record.metadata.chip, chip)
    // @ts-expect-error: it was not asked for.
    assert.isUndefined((await petstore.pets.get(id)).record)
    // @ts-expect-error: it was not asked for.
    assert.isUndefined((await petstore.pets.list({ categoryId })).items[0]?.record)
    const perhaps = { include: Math.random() < 2 ? ("record" as const) : undefined }
    // @ts-expect-error: it may not have been asked for.
    assert.isDefined((await petstore.categories.get(categoryId, perhaps)).record)
    await petstore.close()
  })

  it.effect("given no include, then an effect has no record, and with it one", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const { id: categoryId } = yield* petstore.categories.create({ name: "Dogs" })
      const { id } = yield* petstore.pets.create({ name: "Rex", categoryId })
      const { record } = yield* petstore.pets.get(id, included)
      assert.deepStrictEqual(record.metadata, {})
      const [first] = (yield* petstore.pets.list(included)).items
      assert.deepStrictEqual(first?.record, record)
      const all = yield* Stream.runCollect(petstore.categories.all(included))
      assert.deepStrictEqual(
        Array.from(all, ({ record: { metadata } }) => metadata),
        [{}]
      )
      // @ts-expect-error: it was not asked for.
      assert.isUndefined((yield* petstore.categories.get(categoryId)).record)
      // @ts-expect-error: it was not asked for.
      assert.isUndefined((yield* petstore.pets.list({ categoryId })).items[0]?.record)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
