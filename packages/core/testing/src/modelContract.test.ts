import { assert, describe, it } from "@effect/vitest"
import { memory, type PetstoreApi } from "@petstore/core"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { assertMatchesModel } from "./assertMatchesModel.ts"
import { assertRejects } from "./assertRejects.ts"
import { ContractViolation } from "./check.ts"
import type { Command } from "./model.ts"
import { modelContract } from "./modelContract.ts"
import { checkInvariants } from "./petstore/checkInvariants.ts"
import { formatReport, runContract } from "./runContract.ts"
import { testPetstore } from "./testPetstore.ts"

const open = Effect.acquireRelease(
  Effect.promise(() => testPetstore({ storage: withLockChecks(memory()) })),
  (petstore) => Effect.promise(() => petstore.close())
)

/** A wrapper that forgets how many are wanted. */
const forgetful = (petstore: PetstoreApi): PetstoreApi => ({
  ...petstore,
  orders: {
    ...petstore.orders,
    place: ({ quantity: _, ...order }, options) => petstore.orders.place(order, options)
  }
})

/** A wrapper that hides what is sold out. */
const hiding = (petstore: PetstoreApi): PetstoreApi => ({
  ...petstore,
  inventory: { ...petstore.inventory, all: (filter) => petstore.inventory.all({ ...filter, status: "available" }) }
})

const shop: ReadonlyArray<Command> = [
  { type: "createCategory", name: "Dogs" },
  { type: "createPet", categoryId: 1 },
  { type: "setStock", petId: 1, quantity: 5 }
]

describe("assertMatchesModel", () => {
  it("given the engine, it passes", async () => {
    await using petstore = await testPetstore()
    await assertMatchesModel(petstore, [...shop, { type: "placeOrder", petId: 1, quantity: 6 }])
  })

  it("given a wrapper with another result, it shows the command and both results", async () => {
    await using petstore = await testPetstore()
    const commands = [...shop, { type: "placeOrder", petId: 1, quantity: 6 }] as const
    const { message } = await assertRejects(assertMatchesModel(forgetful(petstore), commands), ContractViolation)
    assert.strictEqual(
      message,
      'Expected the result of command 4, {"type":"placeOrder","petId":1,"quantity":6} to be ' +
        '{"code":"insufficient_stock"}, got {"code":"ok","id":1}'
    )
  })

  it("given a wrapper that shows otherwise, it says after which command", async () => {
    await using petstore = await testPetstore()
    const commands = [...shop, { type: "updatePet", petId: 1, status: "sold" }] as const
    const { message } = await assertRejects(assertMatchesModel(hiding(petstore), commands), ContractViolation)
    assert.include(message, 'Expected the inventory after command 4, {"type":"updatePet","petId":1,"status":"sold"}')
  })
})

describe("modelContract", () => {
  it.effect("given the engine, it passes", () =>
    Effect.gen(function* () {
      const report = yield* runContract(modelContract({ open, afterEach: checkInvariants }, { runs: 10 }))
      assert.deepStrictEqual([report.passed.length, report.failed.length], [1, 0], formatReport(report))
    })
  )

  it.effect("given a wrapper that forgets something, it shows the shortest history that fails", () =>
    Effect.gen(function* () {
      const cases = modelContract({ open: Effect.map(open, forgetful) }, { runs: 50, seed: 1 })
      const report = formatReport(yield* runContract(cases))
      assert.include(report, "failed: reference model: the results of any commands are those of the reference model")
      assert.match(report, /Expected the (result of|\w+ after) command \d+, \{"type":"placeOrder"/)
    })
  )
})
