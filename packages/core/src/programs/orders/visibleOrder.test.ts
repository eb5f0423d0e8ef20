import { assert, describe, it } from "@effect/vitest"
import { callsOfOneOrder } from "../../../test/support/callsOfOneOrder.ts"
import { noting } from "../../../test/support/notingStore.ts"
import { assertRejects } from "../../../testing/src/assertRejects.ts"
import { createStockedPet } from "../../../testing/src/testData.ts"
import { testPetstore } from "../../../testing/src/testPetstore.ts"

/** A call about an order that does not exist for its caller. Lists of events have none. */
const refusal = async (call: Promise<unknown>) => {
  const outcome = await call.catch((error: unknown) => error)
  const isEmpty = typeof outcome === "object" && outcome !== null && "items" in outcome
  if (isEmpty) assert.deepStrictEqual(outcome.items, [])
  else assert.deepInclude(outcome, { code: "not_found" })
}

describe("given an order of another", () => {
  for (const [what, call] of Object.entries(callsOfOneOrder)) {
    it(`when a user who sees only their own calls ${what}, then the store is asked, and returns, what it is for an order that does not exist`, async () => {
      const statements: Array<string> = []
      await using petstore = await testPetstore({ storage: noting(statements) })
      await createStockedPet(petstore, { onHand: 9 })
      const [ada, bob] = [petstore.as({ user: "ada" }), petstore.as({ user: "bob" })]
      const mine = await bob.orders.place({ petId: 1 }, { reserveFor: "1 day" })
      const { id } = await ada.orders.place({ petId: 1 }, { reserveFor: "1 day" })
      await petstore.records.update("orders", id, { externalId: "A" })
      const statementsOf = async (orderId: number) => {
        statements.length = 0
        await refusal(call(bob, orderId))
        return [...statements]
      }
      const ofAnother = await statementsOf(id)
      assert.deepStrictEqual(ofAnother, await statementsOf(1_000))
      assert.isNotEmpty(ofAnother)
      const locked = ofAnother.filter((statement) => /^lock.* (orders|pets)$/.test(statement))
      assert.isEmpty(locked, "it waits for nobody who changes the order")
      await call(bob, mine.id)
    })
  }

  it("when a user looks for its external id, then the store is asked, and returns, what it is for one that does not exist", async () => {
    const statements: Array<string> = []
    await using petstore = await testPetstore({ storage: noting(statements) })
    const [ada, bob] = [petstore.as({ user: "ada" }), petstore.as({ user: "bob" })]
    const { id } = await ada.orders.place({})
    await petstore.records.update("orders", id, { externalId: "A" })
    const statementsOf = async (externalId: string) => {
      statements.length = 0
      await assertRejects(bob.records.getByExternalId("orders", externalId), "not_found")
      return [...statements]
    }
    assert.deepStrictEqual(await statementsOf("A"), await statementsOf("B"))
  })
})
