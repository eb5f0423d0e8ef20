import type { PetstoreApi } from "@petstore/core"
import { PetstoreError } from "@petstore/core/domain"
import type { Command, Outcome } from "./model.ts"

const done = (): Outcome => ({ code: "ok" })

const made = ({ id }: { readonly id: number }): Outcome => ({ code: "ok", id })

const call = ({ categories, inventory, orders, pets }: PetstoreApi, command: Command): Promise<Outcome> => {
  switch (command.type) {
    case "createCategory":
      return categories.create({ name: command.name }).then(made)
    case "deleteCategory":
      return categories.delete(command.categoryId).then(done)
    case "createPet": {
      const { type: _, ...fields } = command
      return pets.create({ name: "Rex", ...fields }).then(made)
    }
    case "updatePet": {
      const { petId, type: _, ...fields } = command
      return pets.update(petId, fields).then(done)
    }
    case "deletePet":
      return pets.delete(command.petId).then(done)
    case "setStock":
      return inventory.set(command.petId, command.quantity).then(done)
    case "adjustStock": {
      const { petId, type: _, ...adjustment } = command
      return inventory.adjust(petId, adjustment).then(done)
    }
    case "placeOrder": {
      const { type: _, ...fields } = command
      return orders.place(fields).then(made)
    }
    case "placeOrders":
      return orders.placeAll(command.orders).then((placed) => ({ code: "ok", ids: placed.map(({ id }) => id) }))
    case "updateOrder": {
      const { orderId, type: _, ...fields } = command
      return orders.update(orderId, fields).then(done)
    }
    case "cancelOrder":
      return orders.cancel(command.orderId).then(done)
  }
}

/**
 * Runs a command of the {@link Model} on a petstore or client, and returns its outcome. Rejects with an error that is not a
 * {@link PetstoreError}.
 *
 * @example
 * ```ts
 * import { runCommand, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const outcome = await runCommand(petstore, { type: "placeOrder", petId: 1 })
 * outcome // => {"code": "unknown_pet"}
 * ```
 */
export const runCommand = (petstore: PetstoreApi, command: Command): Promise<Outcome> =>
  call(petstore, command).catch((error: unknown) => {
    if (error instanceof PetstoreError) return { code: error.code }
    throw error
  })
