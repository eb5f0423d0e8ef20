import type { PetstoreApi } from "@petstore/core"
import type { PetStatus } from "@petstore/core/domain"
import { collect } from "./petstore/inspect.ts"

/** The lists of a petstore, reduced to the fields that the reference model has, each in ascending id. */
export interface PetstoreState {
  readonly categories: ReadonlyArray<number>
  readonly pets: ReadonlyArray<{
    readonly id: number
    readonly categoryId: number
    readonly status: PetStatus | undefined
  }>
  readonly inventory: ReadonlyArray<{
    readonly petId: number
    readonly quantity: number
    readonly reserved: number | undefined
    readonly available: number | undefined
    readonly status: PetStatus
  }>
  readonly orders: ReadonlyArray<{
    readonly id: number
    readonly petId: number | undefined
    readonly quantity: number | undefined
    readonly complete: boolean
  }>
}

const page = { limit: 100 }

/**
 * Reads the lists of a petstore or a client, to compare them with `state` of a {@link Model}.
 *
 * @example
 * ```ts
 * import { createOpenOrder, readState, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * await createOpenOrder(petstore, { quantity: 2 })
 * const { inventory } = await readState(petstore)
 * inventory // => [{"petId": 1, "quantity": 2, "reserved": 2, "available": 0, "status": "pending"}]
 * ```
 */
export const readState = async ({ categories, inventory, orders, pets }: PetstoreApi): Promise<PetstoreState> => ({
  categories: (await collect(categories.all(page))).map(({ id }) => id),
  pets: (await collect(pets.all(page))).map(({ categoryId, id, status }) => ({ id, categoryId, status })),
  inventory: (await collect(inventory.all(page))).map(({ available, petId, quantity, reserved, status }) => ({
    petId,
    quantity,
    reserved,
    available,
    status
  })),
  orders: (await collect(orders.all(page))).map(({ complete, id, petId, quantity }) => ({
    id,
    petId,
    quantity,
    complete
  }))
})
