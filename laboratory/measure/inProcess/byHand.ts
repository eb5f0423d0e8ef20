import { openDatabase } from "../peers/Database.ts"
import { openShop, transactionEach, transactionTogether } from "../peers/Shop.ts"

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
