import { assert, describe, it } from "@effect/vitest"
import { anAffectedPet, aProposedCancellation, aProposedOrder, aProposedPet, aProposedStatus } from "./index.ts"

describe("given what the rules of a host see in their tests", () => {
  const built: Readonly<Record<string, () => ReadonlyArray<object | undefined>>> = {
    aProposedPet: () => [aProposedPet(), aProposedPet().pet, aProposedPet().pet.category],
    aProposedStatus: () => [aProposedStatus(), aProposedStatus().pet],
    aProposedOrder: () => [aProposedOrder(), aProposedOrder().order, aProposedOrder().facts, aProposedOrder().pet],
    aProposedCancellation: () => [aProposedCancellation(), aProposedCancellation().order],
    anAffectedPet: () => [anAffectedPet(), anAffectedPet().category, anAffectedPet().stock, anAffectedPet().stockAfter]
  }
  for (const [builder, parts] of Object.entries(built)) {
    it(`when it is made by ${builder}, then no rule can write into it, as in a petstore`, () => {
      for (const part of parts()) assert.throws(() => Object.assign(part ?? {}, { 0: "mine" }), TypeError)
    })
  }

  it("when fields are said, then they take the place of the others", () => {
    const pet = anAffectedPet({ category: { id: 2, name: "Reptiles" } })
    const { facts, order, pet: affected } = aProposedOrder({ pet, facts: ["updated"] })
    assert.deepStrictEqual([facts, order.state, affected?.category.name], [["updated"], "open", "Reptiles"])
  })
})
