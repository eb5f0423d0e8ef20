import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { newPet, stock } from "../../../testing/src/arbitraries.ts"
import { aNewPet } from "../../../testing/src/builders.ts"
import { shownPets, versionedPets } from "../../tables/petTable.ts"
import { toInventoryItem } from "../inventory/InventoryItem.ts"
import { validator } from "../validate.ts"
import { isPetDetails, NewPet, Pet, PetUpdate, toPet } from "./Pet.ts"

const validate = validator(NewPet)

describe("what stores read of a pet that is shown", () => {
  for (const { columns, which } of [
    { which: "in lists", columns: Object.values(shownPets.columns) },
    { which: "by itself", columns: Object.values(versionedPets.columns) }
  ]) {
    it(`given one ${which}, then each of its fields is a column`, () => {
      assert.includeMembers(
        columns.map(({ path }) => path?.join(".").replace("?", "")),
        Object.keys(Pet.fields)
      )
    })
  }
})

describe("the input of a pet", () => {
  it("given only the required fields, then it is accepted", () => {
    assert.deepStrictEqual(validate("/body", { name: "Rex", categoryId: 1 }), Result.succeed(aNewPet()))
  })

  it("given an id, then it is an unknown field; in a change it is read-only", () => {
    assert.deepStrictEqual(
      validate("/body", { ...aNewPet(), id: 1 }),
      Result.fail([{ path: "/body/id", message: "Unknown field; the known ones are name, categoryId, status" }])
    )
    assert.deepStrictEqual(validator(PetUpdate)("/body", { id: 1 }), Result.succeed({ id: 1 }))
  })

  it.prop("is kept trimmed and in NFC", { input: newPet }, ({ input }) => {
    const kept = validate("/body", input)
    if (Result.isFailure(kept)) return assert.fail(kept.failure.join())
    assert.strictEqual(kept.success.name, input.name.trim().normalize("NFC"))
  })
})

describe("the pet that callers see", () => {
  it.prop("has the status of its inventory item", { stock }, ({ stock: units }) => {
    const pet = toPet({ id: 7, name: "Rex", categoryId: 1 }, units)
    assert.deepStrictEqual(pet, { id: 7, name: "Rex", categoryId: 1, status: toInventoryItem(7, units).status })
  })
})

describe("details that are stored", () => {
  for (const [what, details, expected] of [
    ["a name of printable characters", { name: "Rex", categoryId: 1 }, true],
    ["a name with letters of any script", { name: "Žužu 🐶", categoryId: 1 }, true],
    ["a name that no input sets", { name: " \u0007 ", categoryId: 1 }, true],
    ["a field that is none of them", { name: "Rex", categoryId: 1, colour: "red" }, true],
    ["an empty name", { name: "", categoryId: 1 }, false],
    ["a name that is no text", { name: 7, categoryId: 1 }, false],
    ["no name", { categoryId: 1 }, false],
    ["no category", { name: "Rex" }, false],
    ["the category 0", { name: "Rex", categoryId: 0 }, false],
    ["a category that is no whole number", { name: "Rex", categoryId: 1.5 }, false],
    ["a category that is a text", { name: "Rex", categoryId: "1" }, false]
  ] as const) {
    it(`given ${what}, then they are ${expected ? "whole" : "not whole"}`, () => {
      assert.strictEqual(isPetDetails(details as never), expected)
    })
  }
})
