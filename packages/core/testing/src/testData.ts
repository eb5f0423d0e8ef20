import type { PetstoreApi, Versioned } from "@petstore/core"
import type { NewOrder, NewPet, Order, Pet } from "@petstore/core/domain"
import { aNewCategory, aNewOrder, aNewPet } from "./builders.ts"
import { checkPetstore } from "./checkPetstore.ts"

/** The fields of a pet that a test cares about. */
export interface TestPetFields extends Partial<Omit<NewPet, "status">> {
  /** Units on hand. Default: 1. */
  readonly onHand?: number
}

/** The category that concurrent calls for a petstore are waiting for. */
const categories = new WeakMap<PetstoreApi, Promise<number>>()

const firstOrNew = async ({ categories }: PetstoreApi): Promise<number> => {
  const [first] = (await categories.list({ limit: 1 })).items
  return (first ?? (await categories.create(aNewCategory()))).id
}

/** Any category of the petstore, or a new one; concurrent calls share it. */
const anyCategory = (petstore: PetstoreApi): Promise<number> => {
  const category = categories.get(petstore) ?? firstOrNew(petstore).finally(() => categories.delete(petstore))
  categories.set(petstore, category)
  return category
}

/**
 * Creates a pet that can be ordered, with one unit on hand by default, in an existing category, or a new one if there is
 * none.
 *
 * @example
 * ```ts
 * import { createStockedPet, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const rex = await createStockedPet(petstore, { name: "Rex", onHand: 3 })
 * rex.status // => "available"
 * ```
 */
export const createStockedPet = async (
  petstore: PetstoreApi,
  { onHand = 1, categoryId, ...fields }: TestPetFields = {}
): Promise<Versioned<Pet>> => {
  checkPetstore("A function that creates test data", petstore, "pets")
  const input = aNewPet({ ...fields, categoryId: categoryId ?? (await anyCategory(petstore)) })
  const pet = await petstore.pets.create(onHand === 0 ? { ...input, status: "sold" } : input)
  if (onHand !== 0 && onHand !== 1) await petstore.inventory.set(pet.id, onHand)
  return pet
}

/**
 * Creates a pet with no units on hand.
 *
 * @example
 * ```ts
 * import { createSoldOutPet, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const { status } = await createSoldOutPet(petstore)
 * status // => "sold"
 * ```
 */
export const createSoldOutPet = (
  petstore: PetstoreApi,
  fields: Omit<TestPetFields, "onHand"> = {}
): Promise<Versioned<Pet>> => createStockedPet(petstore, { ...fields, onHand: 0 })

/**
 * Creates a pet on hold, which has units and cannot be ordered.
 *
 * @example
 * ```ts
 * import { PetNotAvailable } from "@petstore/core"
 * import { createHeldPet, assertRejects, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const rex = await createHeldPet(petstore, { onHand: 3 })
 * await assertRejects(petstore.orders.place({ petId: rex.id }), PetNotAvailable)
 * ```
 */
export const createHeldPet = async (petstore: PetstoreApi, fields: TestPetFields = {}): Promise<Versioned<Pet>> => {
  const { id } = await createStockedPet(petstore, fields)
  return petstore.pets.update(id, { status: "pending" })
}

/**
 * Places an open order: of the given pet, or of a new one with enough units.
 *
 * @example
 * ```ts
 * import { createOpenOrder, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const order = await createOpenOrder(petstore, { quantity: 2 })
 * order.complete // => false
 * await petstore.orders.complete(order.id)
 * ```
 */
export const createOpenOrder = async (
  petstore: PetstoreApi,
  fields: Omit<NewOrder, "complete"> = {}
): Promise<Versioned<Order>> => {
  checkPetstore("A function that creates test data", petstore, "pets")
  const { quantity = 1 } = fields
  const petId = fields.petId ?? (await createStockedPet(petstore, { onHand: quantity })).id
  return petstore.orders.place(aNewOrder({ ...fields, quantity, petId }))
}
