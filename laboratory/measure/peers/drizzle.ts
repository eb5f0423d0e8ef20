import { and, eq } from "drizzle-orm"
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Database } from "./Database.ts"
import type { Caller } from "./Guard.ts"
import { bodyOf, type NewOrder, type PlacedOrder, rowsOfOrder, type ServedShop } from "./Shop.ts"

const pets = sqliteTable("petstore_pets", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  category_id: integer("category_id").notNull(),
  status: text("status").notNull(),
  version: integer("version").notNull(),
  on_hand: integer("on_hand").notNull(),
  reserved: integer("reserved").notNull(),
  held: integer("held").notNull(),
  stock_version: integer("stock_version").notNull(),
  last_movement: integer("last_movement").notNull(),
  updated_at: text("updated_at").notNull(),
  deleted: integer("deleted").notNull()
})

const orders = sqliteTable("petstore_orders", {
  id: integer("id").primaryKey(),
  state: text("state").notNull(),
  pet_id: integer("pet_id"),
  quantity: integer("quantity"),
  version: integer("version").notNull(),
  created_at: text("created_at").notNull(),
  updated_at: text("updated_at").notNull(),
  owner: text("owner")
})

const movements = sqliteTable("petstore_movements", {
  pet_id: integer("pet_id").notNull(),
  seq: integer("seq").notNull(),
  kind: text("kind").notNull(),
  delta_on_hand: integer("delta_on_hand").notNull(),
  delta_reserved: integer("delta_reserved").notNull(),
  order_id: integer("order_id"),
  actor: text("actor").notNull(),
  at: text("at").notNull()
})

const events = sqliteTable("petstore_events", {
  id: text("id").notNull(),
  type: text("type").notNull(),
  subject: text("subject").notNull(),
  timestamp: text("timestamp").notNull(),
  data: text("data").notNull()
})

/** The shop by the query builder of Drizzle, as its documentation shows it. */
export const drizzleShop = (client: Database): ServedShop => {
  const database: BetterSQLite3Database = drizzle(client as never)
  const find = (id: number) =>
    database
      .select()
      .from(pets)
      .where(and(eq(pets.id, id), eq(pets.deleted, 0)))
      .get()
  return {
    petWithStock: (id) => {
      const row = find(id)
      return row === undefined ? undefined : bodyOf(row)
    },
    place: (placing: NewOrder, caller: Caller): PlacedOrder => {
      const { order, placed, stock } = rowsOfOrder(find(placing.petId), placing, caller)
      const { id } = database.insert(orders).values(order).returning({ id: orders.id }).get()
      const { events: recorded, movement, result } = placed(id)
      database.update(pets).set(stock).where(eq(pets.id, placing.petId)).run()
      database.insert(movements).values(movement).run()
      database.insert(events).values(recorded).run()
      return result
    }
  }
}
