import { assert, describe, it } from "@effect/vitest"
import { fieldProblem } from "./Order.ts"
import { orderStates, orderStatesWhere } from "./OrderState.ts"

describe("given the table of order states", () => {
  for (const [state, { absent, complete, end, next, required, units, visible }] of Object.entries(orderStates)) {
    it(`then ${state} has an end if, and only if, it is final`, () => {
      assert.strictEqual(end === undefined, next.length > 0)
    })

    it(`then ${state} has units only with a pet and a quantity, and is complete if they are shipped`, () => {
      if (units !== "none") assert.includeMembers([...required], ["petId", "quantity"])
      assert.strictEqual(complete, units === "shipped")
      assert.isTrue(visible || !complete)
      assert.isEmpty(required.filter((field) => absent.includes(field)))
    })
  }

  it("then states are found by what they are", () => {
    assert.deepStrictEqual(
      orderStatesWhere(({ next }) => next.length === 0),
      ["complete", "cancelled", "expired"]
    )
  })
})

describe("given an order to store", () => {
  it("then its problem names the fields that its state needs or forbids", () => {
    assert.isUndefined(fieldProblem({ state: "open", petId: 1, quantity: 2 }))
    assert.strictEqual(fieldProblem({ state: "open" }), "In state open, an order needs a pet and a quantity")
    assert.strictEqual(
      fieldProblem({ state: "complete", petId: 1, quantity: 1 }),
      "In state complete, an order needs a ship date"
    )
    assert.strictEqual(fieldProblem({ state: "draft", petId: 1 }), "In state draft, an order cannot have a pet")
  })

  it("then it holds units until a time only while it is open, and keeps that time only if it has expired", () => {
    const whole = { petId: 1, quantity: 2, shipDate: "2026-01-01T00:00:00.000Z", expiresAt: "2026-01-01T00:00:00.000Z" }
    const allowing = orderStatesWhere(() => true).filter((state) => {
      const { petId: _, ...withoutPet } = whole
      return fieldProblem({ state, ...(state === "draft" ? withoutPet : whole) }) === undefined
    })
    assert.deepStrictEqual(allowing, ["open", "expired"])
  })

  it("then a state that does not exist is a problem", () => {
    assert.strictEqual(fieldProblem({ state: JSON.parse('"lost"') }), "There is no order state lost")
  })
})
