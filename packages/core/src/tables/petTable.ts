import { available, PetStatus, type Stock, statusOf } from "../domain/inventory/Stock.ts"
import { limits } from "../domain/limits.ts"
import type { AllDetails, Pet, PetDetails } from "../domain/pets/Pet.ts"
import { hasWords, storedWords } from "../domain/pets/words.ts"
import { type Column, columnsOf, query, type Range, table, view } from "../kernel/Table.ts"
import { type TimePlace, timeIndexes, timeIndexOf, timeRange } from "./TimeOrder.ts"

const last = 0x10ffff

const following = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1)

/**
 * The smallest text, compared by code points, that is greater than every text with this prefix; undefined if there
 * is none. `prefix <= name < afterPrefix(prefix)` is a range of an index.
 */
const afterPrefix = (prefix: string): string | undefined => {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? last)
  while (codePoints.at(-1) === last) codePoints.pop()
  const end = codePoints.pop()
  return end === undefined ? undefined : String.fromCodePoint(...codePoints, following(end))
}

/** A pet and its stock: one row, one lock. */
export interface PetRecord extends PetDetails {
  readonly id: number
  /** Increases with every change that the pet's representation shows. */
  readonly version: number
  readonly stock: Stock
  /** Increases with every change that the inventory item's representation shows. */
  readonly stockVersion: number
  /** The `seq` of the pet's latest movement in the ledger. */
  readonly lastMovement: number
  readonly createdAt: string
  /** When its last event happened; those of its stock do not count. */
  readonly updatedAt: string
  /** A deleted pet stays in the store, with its id and its ledger. */
  readonly deleted: boolean
}

/** A pet as callers see it: its status instead of its stock. */
export type ShownPet = Pet & { readonly status: PetStatus }

/** The same with the version of its representation. */
export type VersionedShownPet = ShownPet & { readonly version: number }

/** Selects live pets: by id or, with `name` or `time`, by these and then id. Names compare by code points. */
export interface PetQuery {
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
  /** A prefix of the name; case matters. */
  readonly name?: string | undefined
  /** Only pets behind the one with this id; 0 for the first page, infinity for the first one of a reversed list. */
  readonly after: number
  /** Words of the name, which blanks separate. */
  readonly words?: string | undefined
  /** The name of the pet `after`; required with `name` on every page but the first. It starts with `name`. */
  readonly afterName?: string | undefined
  readonly time?: TimePlace | undefined
}

const pet = columnsOf<PetRecord>()
const detail = columnsOf<PetDetails>()

// A new detail of a pet is added here; the compiler asks for it.
const details: { readonly [Field in keyof PetDetails]-?: Readonly<Record<string, Column<PetDetails>>> } = {
  name: { name: detail.text("name", ({ name }) => name) },
  categoryId: { category_id: detail.integer("categoryId", ({ categoryId }) => categoryId) }
}

const detailColumns: Readonly<Record<string, Column<PetDetails>>> = Object.assign({}, ...Object.values(details))

/** The pets with their stock: one row and one lock for each. Deleted ones stay, with their ledgers. */
export const pets = table<PetRecord>("pets", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: pet.integer("id", ({ id }) => id),
    ...detailColumns,
    status: pet.text(({ stock }) => statusOf(stock)),
    version: pet.integer("version", ({ version }) => version),
    on_hand: pet.integer("stock.onHand", ({ stock }) => stock.onHand),
    reserved: pet.integer("stock.reserved", ({ stock }) => stock.reserved),
    held: pet.boolean("stock.held", ({ stock }) => stock.held),
    stock_version: pet.integer("stockVersion", ({ stockVersion }) => stockVersion),
    last_movement: pet.integer("lastMovement", ({ lastMovement }) => lastMovement),
    created_at: pet.time("createdAt", ({ createdAt }) => createdAt),
    updated_at: pet.time("updatedAt", ({ updatedAt }) => updatedAt),
    deleted: pet.boolean("deleted", ({ deleted }) => deleted),
    words: pet.optionalText(({ name }) => storedWords(name))
  },
  hasWords: ({ name }, words) => hasWords(name, words),
  lockOrder: 3,
  references: { category_id: "categories" },
  checks: [
    "name <> ''",
    `status = CASE WHEN on_hand = 0 THEN 'sold' WHEN held OR reserved = on_hand THEN 'pending' ELSE 'available' END`,
    "version >= 1",
    `on_hand BETWEEN 0 AND ${limits.stock}`,
    "reserved BETWEEN 0 AND on_hand",
    "NOT held OR on_hand > 0",
    "stock_version >= 1",
    "last_movement >= 0",
    "NOT deleted OR on_hand = 0"
  ],
  fill: 80,
  problemOf: ({ deleted, stock }) => {
    const { held, onHand, reserved } = stock
    const isSound = 0 <= reserved && reserved <= onHand && onHand <= limits.stock && (!held || onHand > 0)
    if (!isSound) return `The stock of a pet cannot be ${JSON.stringify(stock)}`
    return deleted && onHand > 0 ? "A deleted pet has no stock" : undefined
  },
  copy: (one) =>
    ({
      id: one.id,
      name: one.name,
      categoryId: one.categoryId,
      version: one.version,
      stock: { onHand: one.stock.onHand, reserved: one.stock.reserved, held: one.stock.held },
      stockVersion: one.stockVersion,
      lastMovement: one.lastMovement,
      createdAt: one.createdAt,
      updatedAt: one.updatedAt,
      deleted: one.deleted
    }) satisfies AllDetails,
  live: [{ column: "deleted", is: false }],
  computed: {
    available: {
      sql: "(CASE WHEN held THEN 0 ELSE on_hand - reserved END)",
      read: ({ stock }) => available(stock)
    }
  },
  indexes: {
    by_available: {
      order: ["available", "id"],
      where: [{ column: "deleted", is: false }],
      option: "inventory.available"
    },
    live: { order: ["id"], where: [{ column: "deleted", is: false }] },
    status: { equal: ["status"], order: ["id"], where: [{ column: "deleted", is: false }] },
    category_status: { equal: ["category_id", "status"], order: ["id"], where: [{ column: "deleted", is: false }] },
    // A search by name is in the order of names: no index has the matches of every prefix in the order of ids.
    status_name: { equal: ["status"], order: ["name", "id"], where: [{ column: "deleted", is: false }] },
    category_status_name: {
      equal: ["category_id", "status"],
      order: ["name", "id"],
      where: [{ column: "deleted", is: false }]
    },
    ...timeIndexes({
      status: { equal: ["status"], where: [{ column: "deleted", is: false }] },
      category_status: { equal: ["category_id", "status"], where: [{ column: "deleted", is: false }] }
    })
  }
})

/** Selects live pets by the units of them that can be ordered, and then by id. */
export interface StockQuery {
  /** Only pets of which this many units can be ordered, or more. */
  readonly from?: number | undefined
  /** Only pets of which fewer units can be ordered. */
  readonly before?: number | undefined
  /** Behind a pet with this many units, and this id. */
  readonly after?: readonly [available: number, id: number] | undefined
}

/** It always has a bound, without which PostgreSQL could choose another index and sort all pets. */
const rangesOfStock = ({ after, before, from = 0 }: StockQuery): ReadonlyArray<Range> => [
  {
    index: "by_available",
    from,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after })
  }
]

/** A list of pets reads one range for each status, but for a search by id, which the index of words has in one. */
const rangesOfPets = ({ after, afterName, categoryId, name, status, time, words }: PetQuery): ReadonlyArray<Range> => {
  if (words !== undefined && name === undefined) {
    const also = {
      ...(categoryId === undefined ? {} : { category_id: categoryId }),
      ...(status === undefined ? {} : { status })
    }
    return [{ index: "live", words, also, after: [after] }]
  }
  if (status === undefined && categoryId === undefined && name === undefined && time === undefined)
    return [{ index: "live", after: [after] }]
  const group = `${categoryId === undefined ? "" : "category_"}status`
  const index = time === undefined ? `${group}${name === undefined ? "" : "_name"}` : timeIndexOf(time, group)
  const position =
    time !== undefined
      ? timeRange(time, after)
      : name === undefined
        ? { after: [after] }
        : { from: name, ...(afterName === undefined ? {} : { after: [afterName, after] }), before: afterPrefix(name) }
  const statuses: ReadonlyArray<PetStatus> = status === undefined ? PetStatus.literals : [status]
  return statuses.map((one) => ({
    index,
    ...(words === undefined ? {} : { words }),
    equal: { ...(categoryId === undefined ? {} : { category_id: categoryId }), status: one },
    ...position
  }))
}

const shown = columnsOf<ShownPet>()
const versioned = columnsOf<VersionedShownPet>()

const shownOf = ({ categoryId, id, name, stock }: PetRecord): ShownPet =>
  ({ id, name, categoryId, status: statusOf(stock) }) satisfies AllDetails

/** The pets as lists show them: reading these columns alone takes a database two thirds of the time. */
export const shownPets = view(
  pets,
  {
    id: shown.integer("id"),
    ...detailColumns,
    status: shown.text("status")
  },
  shownOf
)

/** The pets as callers see them one by one. */
export const versionedPets = view(
  pets,
  {
    id: versioned.integer("id"),
    ...detailColumns,
    status: versioned.text("status"),
    version: versioned.integer("version")
  },
  (pet) => ({ ...shownOf(pet), version: pet.version })
)

/** The ids of pets, which an index has, so that no row is read. */
export const petIds = view(pets, { id: columnsOf<{ readonly id: number }>().integer("id") }, ({ id }) => ({ id }))

/** Live pets in ascending id or, with a prefix of the name, in ascending name and then id. */
export const petsBy = query(pets, "petsBy", rangesOfPets)

/** The same pets in the reversed order. */
export const petsReversedBy = query(pets, "petsReversedBy", rangesOfPets, { isReversed: true })

/** The same pets as lists show them. */
export const shownPetsBy = query(shownPets, "shownPetsBy", rangesOfPets)

/** The same pets as lists show them, in the reversed order. */
export const shownPetsReversedBy = query(shownPets, "shownPetsReversedBy", rangesOfPets, { isReversed: true })

/** The ids of the same pets. */
export const petIdsBy = query(petIds, "petIdsBy", rangesOfPets)

/** Live pets in ascending number of units that can be ordered, and then of ids, if the store has the index for it. */
export const petsByAvailable = query(pets, "petsByAvailable", rangesOfStock)

/** The same pets in the reversed order. */
export const petsReversedByAvailable = query(pets, "petsReversedByAvailable", rangesOfStock, { isReversed: true })

/** The pets of a category, in ascending order of ids. */
export const petsInCategory = query(pets, "petsInCategory", (categoryId: number) =>
  rangesOfPets({ categoryId, after: 0 })
)
