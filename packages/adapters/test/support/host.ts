import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { checkInvariants } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { sqlite } from "../../src/sqlite/index.ts"
import { migratedFile } from "./migratedFile.ts"

/** A connection as a host opens it; it closes with the scope. */
export const openDatabase = (
  file: string,
  options: DatabaseSyncOptions = {}
): Effect.Effect<DatabaseSync, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file, options)),
    (database) =>
      Effect.sync(() => {
        if (database.isOpen) database.close()
      })
  )

/** A petstore in the database of a host; it closes with the scope. */
export const openGuest = (
  database: DatabaseSync,
  options: { readonly lockTimeout?: number; readonly tablePrefix?: string } = {}
): Effect.Effect<Petstore, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite({ database, ...options }) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** Adds a pet with five units. Returns its id. */
export const stock = async ({ categories, inventory, pets }: Petstore): Promise<number> => {
  const { id: categoryId } = await categories.create({ name: "Rabbits" })
  const { id } = await pets.create({ name: "Flopsy", categoryId })
  await inventory.set(id, 5)
  return id
}

/** A shop with a table of invoices, and a petstore in its database with five units of one pet. */
export const shop = (options: { readonly lockTimeout?: number } = {}) =>
  Effect.gen(function* () {
    const file = yield* migratedFile()
    const db = yield* openDatabase(file)
    db.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL) STRICT")
    const petstore = yield* openGuest(db, options)
    const petId = yield* Effect.promise(() => stock(petstore))
    return { file, db, petstore, petId }
  })

/** What is committed of the shop. */
export const committed = async (file: string, petstore: Petstore, petId: number) => {
  const reader = new DatabaseSync(file, { readOnly: true })
  const count = (table: string): unknown => reader.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n
  const seen = {
    invoices: count("invoices"),
    events: count("petstore_events"),
    orders: (await petstore.orders.list()).items.map(({ quantity }) => quantity),
    reserved: (await petstore.inventory.get(petId)).reserved
  }
  reader.close()
  return seen
}

export interface Shop {
  readonly file: string
  readonly db: DatabaseSync
  readonly petstore: Petstore
  readonly petId: number
}

/** Runs a body in a shop, whose petstore must pass `verify` afterwards. */
export const inShop = (body: (shop: Shop) => Promise<void>, options?: { readonly lockTimeout?: number }) =>
  Effect.gen(function* () {
    const opened = yield* shop(options)
    yield* Effect.promise(() => body(opened))
    if (opened.db.isOpen && opened.db.isTransaction) opened.db.exec("ROLLBACK")
    yield* checkInvariants(opened.petstore)
  })

export const invoice = ({ db }: Shop, orderId: number) =>
  db.prepare("INSERT INTO invoices (order_id) VALUES (?)").run(orderId)

/** What is committed before anything is sold. */
export const untouched = { invoices: 0, events: 4, orders: [], reserved: 0 }

/** After an order of two units, and its invoice. */
export const twoSold = { invoices: 1, events: 6, orders: [2], reserved: 2 }
