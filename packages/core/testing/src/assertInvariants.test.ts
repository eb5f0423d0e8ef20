import { assert, describe, it } from "@effect/vitest"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { assertInvariants } from "./assertInvariants.ts"
import { assertRejects } from "./assertRejects.ts"
import { ContractViolation } from "./check.ts"
import { checkInvariants } from "./petstore/checkInvariants.ts"
import { tested } from "./storage/TestedStore.ts"
import { createOpenOrder } from "./testData.ts"
import { testPetstore } from "./testPetstore.ts"

describe("assertInvariants", () => {
  it("given a shop that was worked with, it passes", async () => {
    await using petstore = await testPetstore()
    await createOpenOrder(petstore)
    await assertInvariants(petstore)
  })

  it("given a unit that was reserved past the engine, it throws with the rules that are broken and a row of each", async () => {
    await using petstore = await testPetstore()
    const { petId = 0 } = await createOpenOrder(petstore)
    const store = tested(Context.get(await runtimeOf(petstore).context(), Storage))
    const corrupt = store.run(function* (tx) {
      const pet = (yield* tx.pets.lock(petId)) ?? assert.fail()
      yield* tx.pets.save({ ...pet, stock: { ...pet.stock, reserved: 0 } })
    })
    await Effect.runPromise(corrupt)
    const { message } = await assertRejects(assertInvariants(petstore), ContractViolation)
    assert.match(
      message,
      /^Expected every invariant to hold, but found:\n- \w+: .+ Violated by 1 row\(s\), such as \{"/
    )
    assert.strictEqual(
      (await assertRejects(Effect.runPromise(checkInvariants(petstore)), ContractViolation)).message,
      message
    )
  })
})
