import type { PetstoreApi, Versioned } from "@petstore/core"
import type { NewOrder, NewPet, Order, Pet } from "@petstore/core/domain"
import { aNewCategory, aNewOrder, aNewPet } from "./builders.ts"

/** What a test may say of a pet of its scene; the rest does not matter to it. */
export interface TestPetFields extends Partial<Omit<NewPet, "status">> {
  /** Units on hand; 1 if absent. */
  readonly onHand?: number
}

/** What is being found out for scenes that are set up at this moment. */
const categories = new WeakMap<PetstoreApi, Promise<number>>()

const firstOrNew = async ({ categories }: PetstoreApi): Promise<number> => {
  const [first] = (await categories.list({ limit: 1 })).items
  return (first ?? (await categories.create(aNewCategory()))).id
}

/** Some category of the shop, which scenes that are set up at the same time share. */
const anyCategory = (petstore: PetstoreApi): Promise<number> => {
  const category = categories.get(petstore) ?? firstOrNew(petstore).finally(() => categories.delete(petstore))
  categories.set(petstore, category)
  return category
}

/**
 * A pet that can be ordered: one unit of it, unless `onHand` says more. It is of a category that is there, or of a new
 * one where there is none.
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
  const input = aNewPet({ ...fields, categoryId: categoryId ?? (await anyCategory(petstore)) })
  const pet = await petstore.pets.create(onHand === 0 ? { ...input, status: "sold" } : input)
  if (onHand !== 0 && onHand !== 1) await petstore.inventory.set(pet.id, onHand)
  return pet
}

/**
 * A pet of which no unit is on hand.
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
 * A pet on hold: it has units, and takes no orders.
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
 * An order that holds units and waits to be shipped: of the pet that it says, or else of a new one with as many units.
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
  const { quantity = 1 } = fields
  const petId = fields.petId ?? (await createStockedPet(petstore, { onHand: quantity })).id
  return petstore.orders.place(aNewOrder({ ...fields, quantity, petId }))
}
