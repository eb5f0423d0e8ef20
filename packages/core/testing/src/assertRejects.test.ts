import { assert, describe, it } from "@effect/vitest"
import { InsufficientStock, PetNotAvailable, PetstoreError, ValidationFailed } from "@petstore/core/domain"
import { assertRejects } from "./assertRejects.ts"
import { ContractViolation } from "./check.ts"
import { untyped } from "./untyped.ts"

const violation = async (call: Promise<unknown>): Promise<ContractViolation> => {
  const thrown = await assertRejects(call, InsufficientStock).catch((error: unknown) => error)
  return thrown instanceof ContractViolation ? thrown : assert.fail(`No violation: ${thrown}`)
}

class NoReptiles extends Error {
  readonly species = "snake"
}

describe("assertRejects", () => {
  it("given the expected error, it returns the error with its type", async () => {
    const error = new InsufficientStock({ petId: 1, requested: 4, available: 3 })
    const { available } = (await assertRejects(Promise.reject(error), InsufficientStock)).details
    assert.strictEqual(available, 3)
    assert.strictEqual(await assertRejects(Promise.reject(error), PetstoreError), error)
  })

  it("given an error of the host, it takes that as well", async () => {
    assert.strictEqual((await assertRejects(Promise.reject(new NoReptiles()), NoReptiles)).species, "snake")
  })

  it("given the expected code, it returns the error with that code, of any class", async () => {
    const error = new InsufficientStock({ petId: 1, requested: 4, available: 3 })
    assert.strictEqual(await assertRejects(Promise.reject(error), "insufficient_stock"), error)
    for (const other of [error, new NoReptiles(), { code: "unknown_pet" }]) {
      const thrown = await assertRejects(Promise.reject(other), "unknown_pet").catch((caught: unknown) => caught)
      assert.instanceOf(thrown, ContractViolation)
      assert.match(String(thrown), /Expected the call to fail with unknown_pet, but it/)
    }
  })

  it("given a result, it shows it", async () => {
    const { actual, expected, message } = await violation(Promise.resolve({ id: 1 }))
    assert.strictEqual(message, 'Expected the call to fail with InsufficientStock, but it returned {"id":1}')
    assert.deepStrictEqual([actual, expected], [{ id: 1 }, "InsufficientStock"])
    assert.match((await violation(Promise.resolve())).message, /but it returned undefined$/)
  })

  it("given another refusal, it shows its code, message and details, and keeps it as the cause", async () => {
    const error = new PetNotAvailable({ petId: 1, status: "sold", quantity: 0 })
    const { cause, message } = await violation(Promise.reject(error))
    assert.strictEqual(cause, error)
    assert.strictEqual(
      message,
      "Expected the call to fail with InsufficientStock, but it failed with PetNotAvailable " +
        "(pet_not_available): Pet 1 takes no orders: it is on hold or sold out. " +
        '{"petId":1,"status":"sold","quantity":0}'
    )
  })

  it("given an input that is not valid, it shows where", async () => {
    const error = ValidationFailed.of([{ path: "/body/petId", message: "Expected a number" }])
    assert.include((await violation(Promise.reject(error))).message, '[{"path":"/body/petId"')
  })

  it("given what is no call, class or code, it says what it takes", async () => {
    const call = Promise.resolve()
    const misuses: ReadonlyArray<readonly [unknown, unknown]> = [
      [() => call, NoReptiles],
      [undefined, NoReptiles],
      [call, 409],
      [call, undefined]
    ]
    for (const [what, expected] of misuses) {
      const thrown = await assertRejects(untyped(what), untyped(expected)).catch((error: unknown) => error)
      assert.match(
        String(thrown),
        /^TypeError: assertRejects takes the promise of a call, and the class or the code of an error, such as/
      )
    }
  })

  it("given a bug, it shows the error and keeps it as the cause", async () => {
    const error = new TypeError("x is not a function")
    const { cause, message } = await violation(Promise.reject(error))
    assert.strictEqual(cause, error)
    assert.match(message, /but it failed with TypeError: x is not a function$/)
    assert.match((await violation(Promise.reject(undefined))).message, /but it failed with undefined$/)
  })
})
