import { DatabaseSync } from "node:sqlite"
import { hostTransaction, sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"

const db = new DatabaseSync("shop.db")
db.exec(
  "CREATE TABLE invoices (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, cents INTEGER NOT NULL CHECK (cents > 0))"
)
const petstore = await createPetstore({ storage: sqlite({ database: db }) })
const rabbits = await petstore.categories.create({ name: "Rabbits" })
const flopsy = await petstore.pets.create({ name: "Flopsy", categoryId: rabbits.id })
await petstore.inventory.set(flopsy.id, 5)

/** Places an order and writes its invoice: both or neither, whatever other requests do on this connection meanwhile. */
const sell = async (quantity: number, cents: number): Promise<void> => {
  try {
    const orderId = await hostTransaction(db, async (tx) => {
      const order = await petstore.orders.place({ petId: flopsy.id, quantity }, { transaction: tx })
      tx.prepare("INSERT INTO invoices (order_id, cents) VALUES (?, ?)").run(order.id, cents)
      return order.id
    })
    console.log(`sold ${quantity} by order ${orderId}`)
  } catch (error) {
    console.log(`sold nothing: ${error instanceof Error ? error.message : error}`)
  }
}

const report = async (): Promise<void> => {
  const { quantity, reserved = 0 } = await petstore.inventory.get(flopsy.id)
  const invoices = db.prepare("SELECT count(*) AS n FROM invoices").get()?.n
  console.log(`  ${reserved} of ${quantity} reserved, ${invoices} invoices`)
}

// Two concurrent requests run one after the other.
await Promise.all([sell(1, 2_500), sell(1, 2_500)])
await report()
// The shop's table rejects the invoice, so the order is rolled back.
await sell(1, 0)
await report()
// The petstore rejects the order, so there is no invoice.
await sell(4, 10_000)
await report()

const { ok } = await petstore.verify()
console.log(ok ? "every invariant holds" : "an invariant is violated")
await petstore.close()
db.close()
