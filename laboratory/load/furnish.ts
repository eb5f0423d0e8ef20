import type { Petstore } from "@petstore/core"
import type { Preset } from "@petstore/core/domain"

/** How many pets a furnished petstore has. */
export const pets = 1_000

/** The id of the pet that a call is about. */
export const idOf = (call: number): number => 1 + ((call * 7) % pets)

/** How many pets are created at a time. */
const batch = 500

/** Adds pets that never sell out, whose ids are 1 to this number, to an empty petstore. Those that `isSold` names have no stock. */
export const addPets = async (petstore: Petstore, count: number, isSold = (_id: number) => false): Promise<void> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  for (let first = 1; first <= count; first += batch) {
    const ids = Array.from({ length: Math.min(batch, count - first + 1) }, (_, n) => first + n)
    await petstore.pets.createAll(
      ids.map((id) => ({ name: `Cat ${id}`, categoryId, ...(isSold(id) ? { status: "sold" as const } : {}) }))
    )
    const stocked = ids.filter((id) => !isSold(id))
    await petstore.inventory.adjustAll(stocked.map((petId) => ({ petId, delta: 1_000_000, reason: "received" })))
  }
}

/** Adds 1,000 pets, unless another process has. */
export const furnish = async (petstore: Petstore): Promise<Petstore> => {
  if ((await petstore.pets.list({ limit: 1 })).items.length === 0) await addPets(petstore, pets)
  return petstore
}

/** Places this number of orders of the first pets, a hundred at a time. */
export const placeOrders = async (petstore: Petstore, count: number): Promise<void> => {
  const orders = Array.from({ length: 100 }, (_, n) => ({ petId: 1 + n }))
  for (let placed = 0; placed < count; placed += orders.length) await petstore.orders.placeAll(orders)
}

/** Adds an account with this number of keys. */
export const addKeys = async (petstore: Petstore, preset: Preset, count = 1) => {
  const { id: accountId } = await petstore.accounts.create({ name: "Clients" })
  // Without one, `petstore serve` would create it, and write an event that its peers do not.
  await petstore.apiKeys.create({ accountId, name: "admin", preset: "admin" })
  const keys: Array<string> = []
  for (let number = 1; number <= count; number++)
    keys.push((await petstore.apiKeys.create({ accountId, name: `client ${number}`, preset })).key)
  return { accountId, keys }
}
