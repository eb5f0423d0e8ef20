import { type Command, Model, type Outcome } from "@petstore/testing"
import { assert, describe, it } from "vitest"
import { type InventoryRow, notLinearizable, type ObservedCall } from "./linearizability.ts"

/** A shop with two units of pet 1. */
const givenShop = (): Model => {
  const model = new Model()
  model.run({ type: "createCategory", name: "Dogs" })
  model.run({ type: "createPet", categoryId: 1 })
  model.run({ type: "setStock", petId: 1, quantity: 2 })
  return model
}

const unknown = Number.POSITIVE_INFINITY

const placed = (begin: number, end: number, result?: Outcome): ObservedCall => ({
  petId: 1,
  command: { type: "placeOrder", petId: 1, quantity: 2 },
  begin,
  end,
  ...(result === undefined ? {} : { result })
})

const read = (begin: number, end: number, reserved: number): ObservedCall => ({
  petId: 1,
  command: "read",
  begin,
  end,
  result: { petId: 1, quantity: 2, reserved, available: 2 - reserved, status: reserved === 2 ? "pending" : "available" }
})

const changed = (begin: number, end: number, command: Command): ObservedCall => ({
  petId: 1,
  command,
  begin,
  end,
  result: { code: "ok" }
})

const ok = (id: number): Outcome => ({ code: "ok", id })
const refused: Outcome = { code: "pet_not_available" }
const tooFew: Outcome = { code: "insufficient_stock" }

const isLinearizable = (...calls: ReadonlyArray<ObservedCall>): boolean =>
  notLinearizable(calls, givenShop()) === undefined

describe("given calls at the same time", () => {
  it("then any order of them may explain the results", () => {
    assert.isTrue(isLinearizable(placed(1, 4, tooFew), placed(2, 3, ok(1)), read(5, 6, 2)))
    assert.isTrue(isLinearizable(read(1, 4, 2), placed(2, 3, ok(1))))
    assert.isTrue(isLinearizable(read(1, 4, 0), placed(2, 3, ok(1))))
  })

  it("then two orders of them with the same stock differ if the pet is held in one of them", () => {
    assert.isTrue(
      isLinearizable(
        changed(1, 3, { type: "updatePet", petId: 1, status: "sold" }),
        changed(2, 8, { type: "updatePet", petId: 1, status: "pending" }),
        changed(4, 5, { type: "setStock", petId: 1, quantity: 2 }),
        placed(6, 7, ok(1)),
        changed(9, 10, { type: "cancelOrder", orderId: 1 }),
        read(11, 12, 0)
      )
    )
  })

  it("then units are not sold twice", () => {
    assert.isFalse(isLinearizable(placed(1, 4, ok(1)), placed(2, 3, ok(2))))
  })
})

describe("given calls one after the other", () => {
  it("then none has an effect before it began or after it ended", () => {
    assert.isTrue(isLinearizable(placed(1, 2, ok(1)), placed(3, 4, tooFew)))
    assert.isFalse(isLinearizable(placed(1, 2, tooFew), placed(3, 4, ok(1))))
    assert.isFalse(isLinearizable(placed(1, 2, ok(1)), read(3, 4, 0)))
    assert.isFalse(isLinearizable(read(1, 2, 2), placed(3, 4, ok(1))))
    assert.isFalse(isLinearizable(placed(1, 2, refused)))
  })

  it("then the call that has no place among the others is named", () => {
    const late = read(3, 4, 0)
    assert.strictEqual(notLinearizable([placed(1, 2, ok(1)), late, read(5, 6, 2)], givenShop()), late)
  })
})

describe("given a call whose outcome is not known", () => {
  it("then it has an effect after it began, or none", () => {
    assert.isTrue(isLinearizable(placed(1, unknown), read(2, 3, 0), read(4, 5, 2)))
    assert.isTrue(isLinearizable(placed(1, unknown), read(2, 3, 0)))
    assert.isFalse(isLinearizable(placed(1, unknown), read(2, 3, 2), read(4, 5, 0)))
    assert.isFalse(isLinearizable(read(1, 2, 2), placed(3, unknown)))
  })

  it("then an order that it has placed may have any id that no other one has", () => {
    const first = placed(1, unknown)
    const restocked = changed(4, 5, { type: "setStock", petId: 1, quantity: 4 })
    assert.isTrue(isLinearizable(first, read(2, 3, 2), restocked, placed(6, 7, ok(1))))
  })
})

describe("given a change of the stock that a client has read", () => {
  const stock: InventoryRow = { petId: 1, quantity: 2, reserved: 0, available: 2, status: "available" }
  const sold = (begin: number, end: number, code: string): ObservedCall => ({
    petId: 1,
    command: { type: "setStock", petId: 1, quantity: 0 },
    onlyFrom: stock,
    begin,
    end,
    result: { code }
  })
  const restocked = changed(1, 2, { type: "setStock", petId: 1, quantity: 4 })

  it("then it succeeds only if the stock is still that", () => {
    assert.isTrue(isLinearizable(sold(1, 2, "ok")))
    assert.isFalse(isLinearizable(restocked, sold(3, 4, "ok")))
    assert.isTrue(isLinearizable(restocked, sold(3, 4, "precondition_failed")))
  })

  it("then its effect, if that is not known, needs that stock too", () => {
    const { result: _, ...lost } = sold(3, unknown, "ok")
    const left = { ...stock, quantity: 0, available: 0, status: "sold" } as const
    assert.isTrue(isLinearizable(lost, { ...read(4, 5, 0), result: left }))
    assert.isFalse(isLinearizable(restocked, lost, { ...read(4, 5, 0), result: left }))
  })
})
