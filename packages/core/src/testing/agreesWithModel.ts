import type { PetstoreApi } from "../petstore/PetstoreApi.ts"
import { same } from "./check.ts"
import { collect } from "./engine/seen.ts"
import { type Command, Model } from "./model.ts"
import { runCommand } from "./runCommand.ts"

const all = { limit: 100 }

/** What lists tell of a shop, as far as the model knows it too. */
const seen = async ({ categories, inventory, orders, pets }: PetstoreApi) => ({
  categories: (await collect(categories.all(all))).map(({ id }) => id),
  pets: (await collect(pets.all(all))).map(({ categoryId, id, status }) => ({ id, categoryId, status })),
  inventory: (await collect(inventory.all(all))).map(({ available, petId, quantity, reserved, status }) => ({
    petId,
    quantity,
    reserved,
    available,
    status
  })),
  orders: (await collect(orders.all(all))).map(({ complete, id, petId, quantity }) => ({
    id,
    petId,
    quantity,
    complete
  }))
})

const expectedBy = (model: Model): Awaited<ReturnType<typeof seen>> => ({
  categories: [...model.categories.keys()],
  pets: [...model.pets].map(([id, { categoryId }]) => ({ id, categoryId, status: model.status(id) })),
  inventory: [...model.pets].map(([petId, { held, onHand }]) => ({
    petId,
    quantity: onHand,
    reserved: model.reserved(petId),
    available: held ? 0 : onHand - model.reserved(petId),
    status: model.status(petId)
  })),
  orders: [...model.orders].map(([id, { complete, petId, quantity }]) => ({ id, petId, quantity, complete }))
})

/**
 * Gives commands to an empty petstore, near or far, and to the {@link Model}, and throws at the first one whose answer, or
 * what lists tell after it, is not that of the model. It finds what a wrapper, a cache or an adapter changed.
 *
 * @example
 * ```ts
 * import { agreesWithModel, history, testPetstore } from "@petstore/core/testing"
 * import { Effect } from "effect"
 * import { sampleEffect } from "effect/Arbitrary"
 *
 * for (const story of await Effect.runPromise(sampleEffect(history(20), { count: 3 }))) {
 *   await using petstore = await testPetstore()
 *   await agreesWithModel(petstore, story)
 * }
 * ```
 */
export const agreesWithModel = async (petstore: PetstoreApi, commands: ReadonlyArray<Command>): Promise<void> => {
  const model = new Model()
  for (const [index, command] of commands.entries()) {
    const which = `command ${index + 1}, ${JSON.stringify(command)}`
    same(await runCommand(petstore, command), model.run(command), `the answer to ${which}`)
    same(await seen(petstore), expectedBy(model), `the shop after ${which}`)
  }
}
