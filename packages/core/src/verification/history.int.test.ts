import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { history } from "../../testing/src/commands.ts"
import { withLockChecks } from "../../testing/src/locks/withLockChecks.ts"
import { type Command, Model, type Outcome } from "../../testing/src/model.ts"
import type { EventData } from "../events/Event.ts"
import type { EventRecord } from "../events/eventTable.ts"
import { toInventoryItem } from "../inventory/InventoryItem.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { toOrder } from "../orders/Order.ts"
import { toPet } from "../pets/Pet.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import { Storage } from "../ports/Storage.ts"
import { categories, movements, orders, pets } from "../tables/index.ts"

/** Does on the engine what a command of the model says. */
const run = (petstore: Petstore["Service"], command: Command): Effect.Effect<Outcome> => {
  const { categories, inventory, orders, pets } = petstore
  const made = (created: { readonly id: number }): Outcome => ({ code: "ok", id: created.id })
  const outcome = <A>(
    effect: Effect.Effect<A, { readonly code: string }>,
    done: (result: A) => Outcome = () => ({ code: "ok" })
  ) => Effect.match(effect, { onFailure: ({ code }): Outcome => ({ code }), onSuccess: done })

  switch (command.type) {
    case "createCategory":
      return outcome(categories.create({ name: command.name }), made)
    case "deleteCategory":
      return outcome(categories.delete(command.categoryId))
    case "createPet": {
      const { type: _, ...fields } = command
      return outcome(pets.create({ name: "Rex", ...fields }), made)
    }
    case "updatePet": {
      const { petId, type: _, ...fields } = command
      return outcome(pets.update(petId, fields))
    }
    case "deletePet":
      return outcome(pets.delete(command.petId))
    case "setStock":
      return outcome(inventory.set(command.petId, command.quantity))
    case "adjustStock": {
      const { petId, type: _, ...adjustment } = command
      return outcome(inventory.adjust(petId, adjustment))
    }
    case "placeOrder": {
      const { type: _, ...fields } = command
      return outcome(orders.place(fields), made)
    }
    case "placeOrders":
      return outcome(orders.placeAll(command.orders), (placed) => ({ code: "ok", ids: placed.map(({ id }) => id) }))
    case "updateOrder": {
      const { orderId, type: _, ...fields } = command
      return outcome(orders.update(orderId, fields))
    }
    case "cancelOrder":
      return outcome(orders.cancel(command.orderId))
  }
}

/** The state according to the events: the latest data of each resource that still exists. */
const fold = (events: ReadonlyArray<EventRecord>) => {
  const resources = new Map<string, unknown>()
  for (const { data, subject, type } of events) {
    switch (type) {
      case "pet.deleted":
        resources.delete(`inventory/${data.id}`)
        resources.delete(subject)
        break
      case "category.deleted":
      case "order.cancelled":
        resources.delete(subject)
        break
      case "pet.status_changed": {
        const { previous: _, ...pet } = data
        resources.set(subject, pet)
        break
      }
      case "inventory.updated": {
        const { reason: _, ...stock } = data
        resources.set(subject, stock)
        break
      }
      default:
        resources.set(subject, data)
    }
  }
  return Object.fromEntries([...resources].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same state, read from the rows. */
const present = Effect.gen(function* () {
  const { scan } = yield* Storage
  const resources: Array<readonly [string, unknown]> = []
  for (const { category, deleted, version } of yield* scan(categories, [], 1_000)) {
    if (!deleted) resources.push([`categories/${category.id}`, { ...category, version }])
  }
  for (const pet of yield* scan(pets, [], 1_000)) {
    if (pet.deleted) continue
    const { held } = pet.stock
    resources.push([`pets/${pet.id}`, { ...toPet(pet, pet.stock), version: pet.version }])
    const item: EventData["inventory.updated"] = {
      ...toInventoryItem(pet.id, pet.stock),
      held,
      version: pet.stockVersion
    }
    resources.push([`inventory/${pet.id}`, item])
  }
  for (const { id, order, version } of yield* scan(orders, [], 1_000)) {
    if (order.state !== "cancelled") {
      resources.push([`orders/${id}`, { ...toOrder(id, order), state: order.state, version }])
    }
  }
  return Object.fromEntries(resources.sort(([a], [b]) => (a < b ? -1 : 1)))
})

/** The numbers of the engine and of the model, in one form. */
const numbersOfEngine = Effect.gen(function* () {
  const { scan } = yield* Storage
  return {
    pets: (yield* scan(pets, [], 1_000)).flatMap(({ categoryId, deleted, id, stock }) =>
      deleted ? [] : [{ id, categoryId, ...stock, status: toPet({ id, name: "", categoryId }, stock).status }]
    ),
    orders: (yield* scan(orders, [], 1_000)).flatMap(({ id, order: { petId, quantity, state } }) =>
      state === "cancelled" ? [] : [{ id, petId, quantity, complete: state === "complete" }]
    )
  }
})

const numbersOfModel = (model: Model) => ({
  pets: [...model.pets].map(([id, { categoryId, held, onHand }]) => ({
    id,
    categoryId,
    onHand,
    held,
    reserved: model.reserved(id),
    status: model.status(id)
  })),
  orders: [...model.orders].map(([id, { complete, petId, quantity }]) => ({ id, petId, quantity, complete }))
})

const many = { arbitrary: { runs: 300, size: 100 } }
const some = { arbitrary: { runs: 100, size: 100 } }

describe("given any history of commands", () => {
  const outcomes = new Map<string, number>()

  it.effect.prop(
    "then the engine has the results of the reference model, and the same state in the end",
    { commands: history(100) },
    ({ commands }) =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const model = new Model()
        for (const command of commands) {
          const outcome = yield* run(petstore, command)
          outcomes.set(outcome.code, (outcomes.get(outcome.code) ?? 0) + 1)
          assert.deepStrictEqual(outcome, model.run(command))
          assert.deepStrictEqual(yield* numbersOfEngine, numbersOfModel(model))
        }
      }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory())))),
    many
  )

  it("then each outcome that a command can have was among them", () => {
    const refusals = [
      ...["not_found", "unknown_category", "category_name_taken", "category_in_use"],
      ...["unknown_pet", "pet_not_available", "insufficient_stock", "order_is_draft", "order_already_complete"],
      ...["invalid_status_transition", "pet_reserved", "pet_has_open_orders", "quantity_below_reserved"]
    ]
    assert.sameMembers([...outcomes.keys()], ["ok", ...refusals])
  })

  it.effect.prop(
    "then at each moment the events fold to the rows as they are",
    { commands: history(100) },
    ({ commands }) =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const { events } = yield* Storage
        const log: Array<EventRecord> = []
        for (const command of commands) {
          yield* run(petstore, command)
          log.push(...(yield* events.scan(log.length, 100)))
          assert.deepStrictEqual(fold(log), yield* present)
        }
      }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory())))),
    some
  )

  it.effect.prop(
    "then a rejected command writes nothing at all",
    { commands: history(100) },
    ({ commands }) =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const { events, scan } = yield* Storage
        const written = Effect.all([present, events.scan(0, 10_000), scan(movements, [], 10_000)])
        for (const command of commands) {
          const before = yield* written
          if ((yield* run(petstore, command)).code !== "ok") assert.deepStrictEqual(yield* written, before)
        }
      }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory())))),
    some
  )

  it.effect.prop(
    "then it verifies",
    { commands: history(100) },
    ({ commands }) =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        for (const command of commands) yield* run(petstore, command)
        const { checks } = yield* petstore.verify
        assert.deepStrictEqual(
          checks.filter(({ violations }) => violations > 0),
          []
        )
      }).pipe(Effect.provide(Petstore.layer(withLockChecks(memory())))),
    some
  )
})
