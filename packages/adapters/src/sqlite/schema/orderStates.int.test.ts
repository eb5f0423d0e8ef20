import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { type OrderContent, OrderRules, orderStates, orderStatesWhere } from "@petstore/core/domain"
import { Connection } from "../connection/Connection.ts"
import { migrate } from "./migrate.ts"

const database = new DatabaseSync(":memory:")
migrate(new Connection(database))
database.exec(`
  INSERT INTO petstore_categories (id, name, name_key, version, created_at, updated_at, deleted)
    VALUES (1, 'Dogs', 'dogs', 1, '2026', '2026', 0);
  INSERT INTO petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version,
      last_movement, created_at, updated_at, deleted)
    VALUES (1, 'Rex', 1, 'available', 1, 5, 0, 0, 1, 1, '2026', '2026', 0)`)

const insert = database.prepare(
  "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, version, created_at, updated_at) VALUES (?, ?, ?, ?, 1, '2026', '2026')"
)

const isTaken = (state: string, { petId, quantity, shipDate }: Partial<OrderContent>): boolean => {
  try {
    insert.run(state, petId ?? null, quantity ?? null, shipDate ?? null)
    return true
  } catch {
    return false
  }
}

const fields = { petId: 1, quantity: 1, shipDate: "2026-05-04T09:30:00.000Z" } as const

/** Every choice of the fields that depend on the state. */
const choices = Array.from({ length: 8 }, (_, bits) =>
  Object.fromEntries(Object.entries(fields).filter((_, index) => (bits >> index) & 1))
)

describe("given the schema and the table of order states", () => {
  for (const state of orderStatesWhere(() => true)) {
    it(`then the schema takes an order that is ${state} exactly if it has the fields of that state`, () => {
      for (const chosen of choices) {
        const allowed = OrderRules.fieldProblem({ ...chosen, state }) === undefined
        assert.strictEqual(isTaken(state, chosen), allowed, `${state} with ${Object.keys(chosen).join(", ")}`)
      }
    })
  }

  it("then the schema accepts no other state", () => {
    for (const chosen of choices) assert.isFalse(isTaken("lost", chosen))
  })

  it("then its indexes hold the visible orders", () => {
    const read = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?")
    for (const name of ["petstore_orders_state", "petstore_orders_pet"]) {
      const [, visible = ""] = / WHERE (.*)$/.exec(String(read.get(name)?.sql)) ?? []
      for (const [state, rules] of Object.entries(orderStates)) {
        const row = database.prepare(`SELECT ${visible} AS visible FROM (SELECT ? AS state)`)
        assert.strictEqual(row.get(state)?.visible, Number(rules.visible))
      }
    }
  })
})
