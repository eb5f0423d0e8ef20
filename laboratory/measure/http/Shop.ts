import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

/** The shop that all contenders serve: each gets a copy of the file. */
export interface ShopFile {
  readonly file: string
  readonly key: string
  readonly pets: number
}

/** Makes a shop whose pets never sell out. Every fourth pet is sold, so that a filter has something to leave out. */
export const makeShop = async (folder: string, pets: number): Promise<ShopFile> => {
  const file = join(folder, "shop.db")
  await using petstore = await createPetstore({ storage: sqlite(file) })
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  const batch = 500
  for (let first = 1; first <= pets; first += batch) {
    await Promise.all(
      Array.from({ length: Math.min(batch, pets - first + 1) }, async (_, index) => {
        const isSold = (first + index) % 4 === 0
        const { id } = await petstore.pets.create({
          name: `Cat ${first + index}`,
          categoryId,
          ...(isSold ? { status: "sold" as const } : {})
        })
        if (!isSold) await petstore.inventory.set(id, 1_000_000)
      })
    )
  }
  const { id: accountId } = await petstore.accounts.create({ name: "Clients" })
  // Without one, `petstore serve` would create it, and write an event that its peers do not.
  await petstore.apiKeys.create({ accountId, name: "admin", preset: "admin" })
  const { key } = await petstore.apiKeys.create({ accountId, name: "client", preset: "write" })
  return { file, key, pets }
}
