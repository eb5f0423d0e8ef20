import { assert, describe, it } from "@effect/vitest"
import { PetStatuses, type StatusStep } from "./PetStatuses.ts"

describe("given a status of a pet that no event of its stock followed", () => {
  it("when the pets after it are checked too, then it is found once", () => {
    const found: Array<StatusStep["by"]> = []
    const statuses = new PetStatuses(({ by }) => found.push(by))
    statuses.addPet({ seq: 1, type: "pet.created", petId: 1, status: "pending" })
    statuses.finish()
    statuses.finish()
    assert.deepStrictEqual(found, ["pet", "nothing"])
    assert.isUndefined(statuses.find(1))
  })
})
