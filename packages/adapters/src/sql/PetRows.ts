import { StockRules } from "@petstore/core/domain"
import type { PetQuery, PetRecord, PetRows } from "@petstore/core/ports"
import { Effect } from "effect"
import { Filter } from "./Filter.ts"
import { afterPrefix } from "./prefix.ts"
import type { Sql } from "./Sql.ts"

interface PetRow {
  readonly id: number
  readonly name: string
  readonly category_id: number
  readonly version: number
  readonly on_hand: number
  readonly reserved: number
  readonly held: number | boolean
  readonly stock_version: number
  readonly last_movement: number
  readonly deleted: number | boolean
}

const select = `SELECT id, name, category_id, version, on_hand, reserved, held, stock_version, last_movement, deleted
  FROM petstore_pets`
const selectLive = `${select} WHERE id = ? AND NOT deleted`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const selectInCategory = "SELECT id FROM petstore_pets WHERE category_id = ? AND NOT deleted LIMIT 1"
const insert = `INSERT INTO petstore_pets
  (status, version, on_hand, reserved, held, stock_version, last_movement, name, category_id, deleted)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const update = `UPDATE petstore_pets SET status = ?, version = ?, on_hand = ?, reserved = ?, held = ?,
  stock_version = ?, last_movement = ?, name = ?, category_id = ?, deleted = ? WHERE id = ?`
// Changes of status are many, renamings few: where only the status changes, only its indexes are touched.
const updateStatus = `UPDATE petstore_pets SET status = ?, version = ?, on_hand = ?, reserved = ?, held = ?,
  stock_version = ?, last_movement = ? WHERE id = ? AND name = ? AND category_id = ? AND deleted = ?`
const updateStock = `UPDATE petstore_pets SET on_hand = ?, reserved = ?, held = ?, stock_version = ?, last_movement = ?
  WHERE id = ?`

const toPet = (row: PetRow): PetRecord => ({
  id: row.id,
  name: row.name,
  categoryId: row.category_id,
  version: row.version,
  stock: { onHand: row.on_hand, reserved: row.reserved, held: Boolean(row.held) },
  stockVersion: row.stock_version,
  lastMovement: row.last_movement,
  deleted: Boolean(row.deleted)
})

const changing = ({ stock, ...pet }: Omit<PetRecord, "id">) =>
  [
    StockRules.statusOf(stock),
    pet.version,
    stock.onHand,
    stock.reserved,
    stock.held,
    pet.stockVersion,
    pet.lastMovement
  ] as const

const lasting = ({ name, categoryId, deleted }: Omit<PetRecord, "id">) => [name, categoryId, deleted] as const

/** As many placeholders as a power of two, so that lists of all lengths share few statements. */
const oneOf = (ids: ReadonlyArray<number>) => {
  const width = 2 ** Math.ceil(Math.log2(Math.max(ids.length, 1)))
  return {
    condition: `id IN (${Array(width).fill("?").join(", ")})`,
    values: Array.from({ length: width }, (_, index) => ids[index])
  }
}

const filterOf = ({ status, categoryId, name, ids, after }: PetQuery): Filter => {
  const filter = new Filter("NOT deleted")
  if (status !== undefined) filter.and("status = ?", status)
  if (categoryId !== undefined) filter.and("category_id = ?", categoryId)
  if (name !== undefined && name !== "") {
    const named = new Filter("NOT deleted")
    const end = afterPrefix(name)
    named.and("name >= ?", name)
    if (end !== undefined) named.and("name < ?", end)
    filter.and(`id IN (SELECT id FROM petstore_pets WHERE ${named.text} AND id > ?)`, ...named.values, after)
  }
  if (ids !== undefined) {
    const chosen = oneOf(ids)
    filter.and(chosen.condition, ...chosen.values)
  }
  filter.and("id > ?", after)
  return filter
}

export const petRows = (sql: Sql): PetRows => {
  const insertPet = sql.insert(insert)
  const updatePet = sql.run(update)
  const updatePetStatus = sql.change(updateStatus)
  const updatePetStock = sql.run(updateStock)
  const inCategory = sql.first(selectInCategory, () => true)
  return {
    find: sql.first(selectLive, toPet),
    lock: sql.lock(selectLive, toPet),
    list: (query) => {
      const { text, values } = filterOf(query)
      return sql.all(`${select} WHERE ${text} ORDER BY id LIMIT ?`, toPet)(...values, query.limit)
    },
    anyInCategory: (categoryId) => Effect.map(inCategory(categoryId), (found) => found === true),
    insert: (pet) => insertPet(...changing(pet), ...lasting(pet)),
    save: (pet) =>
      Effect.flatMap(updatePetStatus(...changing(pet), pet.id, ...lasting(pet)), (changed) =>
        changed === 0 ? updatePet(...changing(pet), ...lasting(pet), pet.id) : Effect.void
      ),
    saveStock: ({ id, stock, stockVersion, lastMovement }) =>
      updatePetStock(stock.onHand, stock.reserved, stock.held, stockVersion, lastMovement, id),
    scan: sql.all(selectAll, toPet)
  }
}
