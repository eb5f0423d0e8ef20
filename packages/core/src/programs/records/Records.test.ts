import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assertRejects } from "../../../testing/src/assertRejects.ts"
import { createPetstore } from "../../petstore/createPetstore.ts"

describe("given a schema for the metadata of pets, with a required key", () => {
  const opened = async () => {
    const petstore = await createPetstore({ metadata: { pets: Schema.Struct({ size: Schema.Literals(["s", "l"]) }) } })
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await petstore.pets.create({ name: "Rex", categoryId })
    return petstore
  }

  it("when a pet without metadata gets an external id, then the schema is not asked", async () => {
    await using petstore = await opened()
    const { externalId, metadata } = await petstore.records.update("pets", 1, { externalId: "rex-1" })
    assert.deepStrictEqual([externalId, { ...metadata }], ["rex-1", {}])
  })

  it("when metadata change, then they are checked as a whole", async () => {
    await using petstore = await opened()
    await assertRejects(
      petstore.records.update("pets", 1, { metadata: { size: null }, externalId: "rex-1" }),
      "validation_failed"
    )
    assert.strictEqual((await petstore.records.update("pets", 1, { metadata: { size: "l" } })).metadata.size, "l")
    await assertRejects(petstore.records.update("pets", 1, { metadata: { size: null } }), "validation_failed")
  })
})
