import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { history } from "../../../testing/src/commands.ts"
import type { Command } from "../../../testing/src/model.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"

type Tested = Petstore["Service"]

const perform = (petstore: Tested, command: Command): Effect.Effect<unknown, unknown> => {
  switch (command.type) {
    case "createCategory":
      return petstore.categories.create({ name: command.name })
    case "deleteCategory":
      return petstore.categories.delete(command.categoryId)
    case "createPet": {
      const { type: _, ...pet } = command
      return petstore.pets.create({ ...pet, name: "Rex" })
    }
    case "updatePet": {
      const { type: _, petId, ...update } = command
      return petstore.pets.update(petId, update)
    }
    case "deletePet":
      return petstore.pets.delete(command.petId)
    case "setStock":
      return petstore.inventory.set(command.petId, command.quantity)
    case "adjustStock": {
      const { type: _, petId, ...adjustment } = command
      return petstore.inventory.adjust(petId, adjustment)
    }
    case "placeOrder": {
      const { type: _, ...order } = command
      return petstore.orders.place(order)
    }
    case "placeOrders":
      return petstore.orders.placeAll(command.orders)
    case "updateOrder": {
      const { type: _, orderId, ...update } = command
      return petstore.orders.update(orderId, update)
    }
    case "cancelOrder":
      return petstore.orders.cancel(command.orderId)
  }
}

/** What the commands of a history leave out: names, descriptions, ship dates, messages, idempotency keys, access. */
const others: ReadonlyArray<(petstore: Tested, step: number) => Effect.Effect<unknown, unknown>> = [
  (petstore, step) => petstore.pets.update(1 + (step % 4), { name: `Rex ${step}`, status: "pending" }),
  (petstore, step) => petstore.messages.enqueue(`Message ${step}`),
  (petstore, step) => petstore.categories.update(1 + (step % 3), { description: step % 2 === 0 ? null : "Barks" }),
  (petstore, step) => petstore.orders.place({ petId: 1 + (step % 3) }, { idempotencyKey: `order-${step % 2}` }),
  (petstore, step) =>
    petstore.orders.placeAll([{ petId: 1 + (step % 3) }, {}], { idempotencyKey: `basket-${step % 2}` }),
  (petstore, step) => petstore.messages.enqueue("Once", { idempotencyKey: `message-${step % 2}` }),
  (petstore, step) => petstore.orders.update(1 + (step % 6), { shipDate: "2026-05-04T09:30:00Z" }),
  (petstore, step) => petstore.orders.update(1 + (step % 6), { shipDate: null }),
  (petstore, step) => petstore.accounts.create({ name: `Shop ${step % 3}` }, { idempotencyKey: `account-${step}` }),
  (petstore) => petstore.apiKeys.create({ accountId: 1, name: "Till", preset: "write" }),
  (petstore, step) =>
    petstore.transaction((tx) =>
      Effect.andThen(tx.inventory.set(1, 9), tx.orders.place({ petId: 1, quantity: 1 + (step % 9) }))
    )
]

const wrong = ({ violations }: { readonly violations: number }): boolean => violations > 0

describe("given any history of commands", () => {
  let verified = 0

  it.effect.prop(
    "then every rule holds afterwards",
    { commands: history(100) },
    ({ commands }) =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        for (const [step, command] of commands.entries()) {
          yield* Effect.ignore(perform(petstore, command))
          const other = others[step % others.length]
          if (other !== undefined) yield* Effect.ignore(other(petstore, step))
        }
        const report = yield* petstore.verify
        verified++
        assert.deepStrictEqual(report.checks.filter(wrong), [])
        assert.isTrue(report.ok)
      }).pipe(Effect.provide(Petstore.layer(memory()))),
    { arbitrary: { runs: 200, size: 100 } }
  )

  it("then those were at least 200 histories", () => assert.isAtLeast(verified, 200))
})

describe("given a store with 10,000 pets", () => {
  it.effect("then every one of them is checked", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const pets = 10_000
      yield* petstore.categories.create({ name: "Dogs" })
      for (let id = 1; id <= pets; id++) {
        yield* petstore.pets.create({ name: `Rex ${id}`, categoryId: 1 })
        if (id % 10 === 0) yield* petstore.orders.place({ petId: id, complete: id % 20 === 0 })
      }
      const report = yield* petstore.verify
      assert.deepStrictEqual(report.checks.filter(wrong), [])
      assert.strictEqual(report.checks.find(({ name }) => name === "stock_in_bounds")?.checked, pets)
      assert.strictEqual(report.checks.find(({ name }) => name === "movements_known")?.checked, pets + 1_000 + 500)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
