import { DatabaseSync } from "node:sqlite"
import { hostTransaction, sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type HostTransaction, type Petstore } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"

/** The shop's own tables, in the same file as those of the petstore. */
const tables = `
  CREATE TABLE IF NOT EXISTS customers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, password TEXT NOT NULL, is_admin INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS carts (
    -- AUTOINCREMENT gives no id twice: a cart is ordered once by its id, also if the row is gone.
    id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER NOT NULL REFERENCES customers);
  CREATE TABLE IF NOT EXISTS cart_lines (
    cart_id INTEGER NOT NULL REFERENCES carts ON DELETE CASCADE, pet_id INTEGER NOT NULL, quantity INTEGER NOT NULL,
    PRIMARY KEY (cart_id, pet_id));
`

export interface Database {
  readonly petstore: Petstore
  /** For reading. */
  readonly db: DatabaseSync
  /** Runs writes to the shop's tables, and calls of the petstore with this `transaction`: all of them take effect, or none. */
  readonly transaction: <A>(body: (db: DatabaseSync, transaction: HostTransaction) => A | Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

/** `secretKey` encrypts the secrets of webhooks in the file. */
export const openDatabase = async (file: string, secretKey: string): Promise<Database> => {
  const db = new DatabaseSync(file)
  db.exec(tables)
  // The warehouse of this example is on the same machine.
  const webhooks = webhookSender({ allowLoopback: true })
  const petstore = await createPetstore({ storage: sqlite({ database: db }), secretKey, webhooks })
  return {
    petstore,
    db,
    transaction: (body) => hostTransaction(db, (tx) => body(tx, tx)),
    close: async () => {
      await petstore.close()
      db.close()
    }
  }
}

/** The same for tests, without files: with a petstore in memory, whose transactions end just before those of the tables. */
export const databaseInMemory = (petstore: Petstore): Database => {
  const db = new DatabaseSync(":memory:")
  db.exec(tables)
  return {
    petstore,
    db,
    transaction: (body) =>
      hostTransaction(db, (tx) => petstore.transaction(async (transaction) => body(tx, transaction))),
    close: async () => db.close()
  }
}
