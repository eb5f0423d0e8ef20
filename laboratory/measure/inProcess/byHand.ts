import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { furnish } from "../../load/furnish.ts"
import { openDatabase } from "../peers/Database.ts"
import { openShop, transactionEach, transactionTogether } from "../peers/Shop.ts"

/** The file of the shop of a contender. */
export const shopIn = (folder: string): string => join(folder, "shop.db")

/** A petstore with 1,000 pets in the file of a shop. */
export const openFurnished = async (folder: string, options: object = {}): Promise<Petstore> =>
  furnish(await createPetstore({ storage: sqlite(shopIn(folder)), ...options }))

const app = { actor: "owner", owner: null }

/** The file of a petstore, with what an app writes by hand instead of it. */
export const openByHand = (file: string) => {
  const database = openDatabase("node:sqlite", file)
  const shop = openShop(database)
  const [each, together] = [transactionEach(database), transactionTogether(database)]
  /** Orders a unit of a pet, in a transaction that has begun. */
  const place = (petId: number) => shop.place({ petId, quantity: 1 }, app)
  return {
    database,
    shop,
    place,
    /** In a transaction with the other orders of a turn of the event loop. */
    placeTogether: (petId: number) => together(() => place(petId)),
    /** In one transaction. */
    placeAll: (petIds: ReadonlyArray<number>) => each(() => petIds.map(place))
  }
}

/** A file with the schema and the pets of a petstore, for what is written by hand. */
export const furnishedByHand = async (folder: string) => {
  await (await openFurnished(folder)).close()
  return openByHand(shopIn(folder))
}
