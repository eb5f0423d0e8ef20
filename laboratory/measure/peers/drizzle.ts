import { and, eq } from "drizzle-orm"
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import type { Database } from "./Database.ts"
import { eventId, typeCodes } from "./Events.ts"
import type { Caller } from "./Guard.ts"
import { available, bodyOf, Conflict, type NewOrder, type PlacedOrder, type ServedShop, statusOf } from "./Shop.ts"

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
    place: ({ petId, quantity }: NewOrder, { actor, owner }: Caller): PlacedOrder => {
      const pet = find(petId)
      if (pet === undefined) throw new Conflict("unknown_pet")
      if (available(pet) < quantity) throw new Conflict("insufficient_stock")
      const now = Date.now()
      const at = new Date(now).toISOString()
      const changed = {
        reserved: pet.reserved + quantity,
        status: statusOf(pet.on_hand, pet.on_hand - pet.reserved - quantity),
        stock_version: pet.stock_version + 1,
        last_movement: pet.last_movement + 1
      }
      const order = { pet_id: petId, quantity, state: "open", version: 1, created_at: at, updated_at: at, owner }
      const placed = database.insert(orders).values(order).returning({ id: orders.id }).get()
      const { id } = placed
      database.update(pets).set(changed).where(eq(pets.id, petId)).run()
      const seq = changed.last_movement
      const movement = { pet_id: petId, seq, kind: "reserved", delta_on_hand: 0, delta_reserved: quantity }
      database
        .insert(movements)
        .values({ ...movement, order_id: id, actor, at })
        .run()
      const record = (type: keyof typeof typeCodes, values: ReadonlyArray<unknown>) => ({
        id: eventId(now),
        type: typeCodes[type],
        subject: "",
        timestamp: "",
        data: JSON.stringify(values).slice(1)
      })
      const { reserved, status, stock_version } = changed
      const stock = [petId, pet.on_hand, status, reserved, pet.on_hand - reserved, false, stock_version]
      database
        .insert(events)
        .values([record("order.placed", [id, petId, quantity, false, "open", 1]), record("inventory.updated", stock)])
        .run()
      return { id, petId, quantity, complete: false }
    }
  }
}
