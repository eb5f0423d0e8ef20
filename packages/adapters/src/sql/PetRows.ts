import { type PetDetails, PetStatus, StockRules, withAllDetails } from "@petstore/core/domain"
import type { PetQuery, PetRecord, PetRows, ShownPet, VersionedShownPet } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Filter } from "./Filter.ts"
import type { BoundStatement, IndexRange } from "./IndexRange.ts"
import { oneOf } from "./oneOf.ts"
import { afterPrefix } from "./prefix.ts"
import type { Columns, ColumnType, LockedRows, RowFormat } from "./RowFormat.ts"
import { columnsOf, insertionOf, type RowTarget } from "./RowTarget.ts"
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

interface VersionedShownRow extends ShownRow {
  readonly version: number
}

interface ShownRow extends Pick<PetRow, "id" | "name" | "category_id"> {
  readonly status: PetStatus
}

/** The columns of the fields that inputs set. A new field of Pet is added here, to the rows above, to `toPet` and to `toShown`; the compiler asks for each. */
const detailColumns: { readonly [Field in keyof PetDetails]-?: { readonly [column: string]: ColumnType } } = {
  name: { name: "text" },
  categoryId: { category_id: "bigint" }
}
const detailNames = Object.keys(detailColumns) as ReadonlyArray<keyof PetDetails>
const detailTypes: Columns = Object.assign({}, ...Object.values(detailColumns))
const columns = Object.keys(detailTypes)
const assigned = columns.map((column) => `${column} = ?`)

const select = `SELECT id, ${columns.join(", ")}, version, on_hand, reserved, held, stock_version, last_movement, deleted
  FROM petstore_pets`
// A page costs what its columns cost: SQLite takes as long to hand over those of the stock as to find the row.
const selectShown = `SELECT id, ${columns.join(", ")}, status FROM petstore_pets`
const selectLiveShown = `SELECT id, ${columns.join(", ")}, status, version FROM petstore_pets WHERE id = ? AND NOT deleted`
const selectLive = `${select} WHERE id = ? AND NOT deleted`
const selectAll = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const update = `UPDATE petstore_pets SET status = ?, version = ?, on_hand = ?, reserved = ?, held = ?,
  stock_version = ?, last_movement = ?, ${assigned.join(", ")}, deleted = ? WHERE id = ?`
// Most updates change the status and not the name. These touch only the indexes of the status.
const updateStatus = `UPDATE petstore_pets SET status = ?, version = ?, on_hand = ?, reserved = ?, held = ?,
  stock_version = ?, last_movement = ? WHERE id = ? AND ${assigned.join(" AND ")} AND deleted = ?`
const updateStock = `UPDATE petstore_pets SET on_hand = ?, reserved = ?, held = ?, stock_version = ?, last_movement = ?
  WHERE id = ?`

export const toPet = (row: PetRow): PetRecord =>
  withAllDetails({
    id: row.id,
    name: row.name,
    categoryId: row.category_id,
    version: row.version,
    stock: { onHand: row.on_hand, reserved: row.reserved, held: Boolean(row.held) },
    stockVersion: row.stock_version,
    lastMovement: row.last_movement,
    deleted: Boolean(row.deleted)
  })

const toShown = (row: ShownRow): ShownPet =>
  withAllDetails({ id: row.id, name: row.name, categoryId: row.category_id, status: row.status })

const toVersionedShown = (row: VersionedShownRow): VersionedShownPet =>
  withAllDetails({
    id: row.id,
    name: row.name,
    categoryId: row.category_id,
    status: row.status,
    version: row.version
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

const lasting = (pet: Omit<PetRecord, "id">) => [...detailNames.map((name) => pet[name]), pet.deleted] as const

const changingColumns: Columns = {
  status: "text",
  version: "bigint",
  on_hand: "bigint",
  reserved: "bigint",
  held: "boolean",
  stock_version: "bigint",
  last_movement: "bigint"
}

/** Live pets. */
export const lockedPets: LockedRows<PetRow, PetRecord> = { select: `${select} WHERE NOT deleted`, decode: toPet }

/** All columns of a pet. */
export const petFormat: RowFormat<PetRecord> = {
  table: "petstore_pets",
  key: { id: "bigint" },
  columns: { ...changingColumns, ...detailTypes, deleted: "boolean" },
  values: (pet) => [pet.id, ...changing(pet), ...lasting(pet)]
}

const target: RowTarget = { table: petFormat.table, columns: columnsOf(petFormat.columns), generatesIds: true }
const insert = insertionOf(target)

/** The columns that most updates of a pet change: those of its stock. */
export const petStockFormat: RowFormat<PetRecord> = {
  ...petFormat,
  columns: changingColumns,
  values: (pet) => [pet.id, ...changing(pet)]
}

/** Whether two states of a pet differ in nothing but the columns of {@link petStockFormat}. */
export const sameButStock = (one: PetRecord, other: PetRecord): boolean =>
  one.deleted === other.deleted && detailNames.every((name) => one[name] === other[name])

/** Lists few pets by their ids, with the other conditions as filters, and sorts them. */
const chosen = (
  selected: string,
  { status, categoryId, name, after, afterName, limit }: PetQuery,
  ids: ReadonlyArray<number>
): BoundStatement => {
  const { condition, values } = oneOf("id", ids)
  const filter = new Filter(condition, ...values).and("NOT deleted")
  if (status !== undefined) filter.and("status = ?", status)
  if (categoryId !== undefined) filter.and("category_id = ?", categoryId)
  if (name === undefined) filter.and("id > ?", after)
  else if (afterName === undefined) filter.and("name >= ?", name)
  else filter.and("(name, id) > (?, ?)", afterName, after)
  const end = name === undefined ? undefined : afterPrefix(name)
  if (end !== undefined) filter.and("name < ?", end)
  const order = name === undefined ? "id" : "name, id"
  // The inner limit, which is no less than the rows can be, keeps the database from choosing an index for the order.
  const found = `${selected} NOT INDEXED WHERE ${filter.text} LIMIT ${values.length}`
  return {
    text: `SELECT * FROM (${found}) AS chosen ORDER BY ${order} LIMIT ?`,
    values: [...filter.values, limit]
  }
}

/** The ranges of one index that a list reads, one for each status. */
export const petRanges = ({ status, categoryId, name, after, afterName }: PetQuery): ReadonlyArray<IndexRange> => {
  const contains = "NOT deleted"
  if (status === undefined && categoryId === undefined && name === undefined) {
    return [{ index: "petstore_pets_live", contains, equal: [], order: ["id"], after: [after] }]
  }
  const index = `petstore_pets${categoryId === undefined ? "" : "_category"}_status${name === undefined ? "" : "_name"}`
  const ofCategory = categoryId === undefined ? [] : [["category_id", categoryId] as const]
  const position =
    name === undefined
      ? { order: ["id"], after: [after] }
      : {
          order: ["name", "id"],
          after: afterName === undefined ? [name] : [afterName, after],
          before: afterPrefix(name)
        }
  return (status === undefined ? PetStatus.literals : [status]).map((one) => ({
    index,
    contains,
    equal: [...ofCategory, ["status", one]],
    ...position
  }))
}

export const petRows = (sql: Sql): Required<PetRows> => {
  const insertPet = sql.insert(insert)
  const insertPets = sql.insertMany(target)
  const updatePet = sql.run(update)
  const updatePetStatus = sql.shortcut(updateStatus)
  const updatePetStock = sql.run(updateStock)
  const list =
    <Row, A>(selected: string, decode: (row: Row) => A) =>
    (query: PetQuery) => {
      const { text, values } =
        query.ids === undefined
          ? sql.merge(selected, petRanges(query), query.limit)
          : chosen(selected, query, query.ids)
      return sql.all(text, decode)(...values)
    }
  return {
    find: sql.first(selectLive, toPet),
    findShown: sql.first(selectLiveShown, toVersionedShown),
    lock: sql.lock(selectLive, toPet),
    list: list(select, toPet),
    listShown: list(selectShown, toShown),
    // The index of the status has the ids, so no row is read.
    listIds: list("SELECT id FROM petstore_pets", ({ id }: Pick<PetRow, "id">) => id),
    insert: (pet) => insertPet(...changing(pet), ...lasting(pet)),
    insertAll: (pets) => insertPets(pets.map((pet) => [...changing(pet), ...lasting(pet)])),
    save: (pet) =>
      Effect.flatMapEager(updatePetStatus(...changing(pet), pet.id, ...lasting(pet)), (saved) =>
        saved ? Exit.void : updatePet(...changing(pet), ...lasting(pet), pet.id)
      ),
    saveStock: ({ id, stock, stockVersion, lastMovement }) =>
      updatePetStock(stock.onHand, stock.reserved, stock.held, stockVersion, lastMovement, id),
    scan: sql.all(selectAll, toPet)
  }
}
