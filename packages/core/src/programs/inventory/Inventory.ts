import { InvalidCursor } from "../../domain/errors/InputErrors.ts"
import { atIndex, type PetstoreError } from "../../domain/errors/PetstoreError.ts"
import type { NotFound, PreconditionFailed } from "../../domain/errors/RequestErrors.ts"
import type { NewEvent } from "../../domain/events/Event.ts"
import type { InventoryFilter, MovementQuery } from "../../domain/inventory/InventoryItem.ts"
import {
  type InventoryAdjustment,
  type InventoryCount,
  type InventoryItem,
  type PetAdjustment,
  toInventoryItem
} from "../../domain/inventory/InventoryItem.ts"
import type { Movement } from "../../domain/inventory/Movement.ts"
import { adjust, available, type StockChange, setQuantity } from "../../domain/inventory/Stock.ts"
import type { Page } from "../../domain/Page.ts"
import type { QuantityBelowReserved } from "../../domain/pets/PetErrors.ts"
import { type Command, fail, mapFailure, orFail } from "../../kernel/Command.ts"
import {
  ledger,
  movementsOf,
  movementsReversedOf,
  petsBy,
  petsByAvailable,
  petsReversedBy,
  petsReversedByAvailable,
  pets as table
} from "../../tables/index.ts"
import type { PetRecord, StockQuery } from "../../tables/petTable.ts"
import type { Call, Reading } from "../Call.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"
import { checkVersion } from "../precondition.ts"
import { requireIndex } from "../records/recordLists.ts"
import { savePet, saveStock } from "./ledger.ts"

/** The methods of `petstore.inventory`: the stock of pets and its ledger. */
export interface InventoryMethods<Options extends CallOptions = CallOptions> {
  /** Reads the stock of a pet. Fails with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<InventoryItem>>
  /**
   * Lists one page of the stock, in ascending order of pet ids. With `maxAvailable`, a page looks at 1,000 pets at most: only one without
   * `next` is the last. `sort: "available"` needs the index `inventory.available`, which then finds `maxAvailable` too.
   */
  list(filter?: InventoryFilter, options?: Options): Promise<Page<InventoryItem>>
  /** Iterates over the stock of all pets, a page at a time. */
  all(filter?: InventoryFilter, options?: Options): AsyncIterable<InventoryItem>
  /** Sets the units on hand. Fails with `not_found`, `precondition_failed`, `quantity_below_reserved`. */
  set(petId: number, quantity: number, options?: ChangeOptions & Options): Promise<Versioned<InventoryItem>>
  /**
   * Adds units on hand, or takes them away: of two adjustments at once, none is lost. The ledger keeps the reason and the note. Fails
   * with `not_found`, `quantity_below_reserved`, `stock_limit_exceeded`.
   *
   * @beta
   */
  adjust(
    petId: number,
    adjustment: InventoryAdjustment,
    options?: CreateOptions & Options
  ): Promise<Versioned<InventoryItem>>
  /**
   * Sets the units on hand of 1 to 1,000 pets: of all of them, or of none if one is rejected. An error has the index of that pet in
   * `details.index`. Returns the stock of each in the same order. Fails with `not_found`, `precondition_failed`,
   * `quantity_below_reserved`.
   *
   * @beta
   */
  setAll(items: ReadonlyArray<InventoryCount>, options?: CreateOptions & Options): Promise<ReadonlyArray<InventoryItem>>
  /**
   * Makes 1 to 1,000 adjustments, in their order: all of them, or none if one is rejected. A pet may have several. An error has the index
   * of that adjustment in `details.index`. Returns the stock after each. Fails with `not_found`, `quantity_below_reserved`,
   * `stock_limit_exceeded`.
   *
   * @beta
   */
  adjustAll(
    adjustments: ReadonlyArray<PetAdjustment>,
    options?: CreateOptions & Options
  ): Promise<ReadonlyArray<InventoryItem>>
  /** Lists one page of the stock ledger of a pet, oldest first or, with `sort: "-seq"`, newest first. Fails with `not_found`. */
  movements(petId: number, query?: MovementQuery, options?: Options): Promise<Page<Movement>>
  /** Iterates over the whole stock ledger of a pet, oldest first or, with `sort: "-seq"`, newest first. Fails with `not_found`. */
  allMovements(petId: number, query?: MovementQuery, options?: Options): AsyncIterable<Movement>
}

const toVersioned = (pet: PetRecord): Versioned<InventoryItem> => ({
  ...toInventoryItem(pet.id, pet.stock),
  version: pet.stockVersion
})

function* lockPet({ tx }: Call, petId: number): Command<PetRecord, NotFound> {
  return (yield* tx.lock(table, petId)) ?? (yield* notFound("pet", petId))
}

/** Writes a change of stock, with its ledger and events. */
const moveStock = (call: Call, pet: PetRecord, change: StockChange): Versioned<InventoryItem> => {
  const at = call.now()
  const recorded = saveStock(call, at, pet, change)
  call.record(at, recorded.events)
  return toVersioned(recorded.pet)
}

/** Changes the stock of several pets in their order, with their ledger and events. */
function* changeAll<Item extends { readonly petId: number }, E extends PetstoreError>(
  call: Call,
  items: ReadonlyArray<Item>,
  changeOf: (pet: PetRecord, item: Item) => Command<StockChange, E>
): Command<ReadonlyArray<InventoryItem>, NotFound | E> {
  const { tx } = call
  yield* tx.lockAll(
    table,
    items.map(({ petId }) => petId)
  )
  const at = call.now()
  const results: Array<InventoryItem> = []
  const movements: Array<Movement> = []
  const events: Array<NewEvent> = []
  function* changeOne(item: Item) {
    const pet = yield* lockPet(call, item.petId)
    return savePet(call, at, pet, yield* changeOf(pet, item))
  }
  for (const [index, item] of items.entries()) {
    const changed = yield* mapFailure(changeOne(item), (error) => atIndex(error, index))
    results.push(toInventoryItem(item.petId, changed.pet.stock))
    movements.push(...changed.movements)
    events.push(...changed.events)
  }
  tx.append(ledger, movements)
  call.record(at, events)
  return results
}

/** Sets the units on hand of several pets, each once. */
export const setAll = (call: Call, items: ReadonlyArray<InventoryCount>) =>
  changeAll<InventoryCount, PreconditionFailed | QuantityBelowReserved>(
    call,
    items,
    function* ({ stock, stockVersion }, { ifVersion, petId, quantity }) {
      yield* orFail(checkVersion(stockVersion, { ifVersion }))
      return yield* orFail(setQuantity(petId, stock, quantity))
    }
  )

type AvailableSort = "available" | "-available"

const isByAvailable = (sort: InventoryFilter["sort"]): sort is AvailableSort =>
  sort === "available" || sort === "-available"

/** The units and the id of a pet in a cursor; undefined for a cursor that was made up. */
const placeOf = (last: string, { before = Number.POSITIVE_INFINITY, from = 0 }: StockQuery) => {
  const [, units, id] = (/^(0|[1-9]\d{0,9}) ([1-9]\d{0,15})$/.exec(last) ?? []).map(Number)
  return units !== undefined && units >= from && units < before && Number.isSafeInteger(id)
    ? ([units, id ?? 0] as const)
    : undefined
}

/**
 * A page of stock in the order of the units that can be ordered. A pet is `available` if there are any. Of the others, which have none, an
 * index by status has the same order.
 */
const pageByAvailable = (
  { rows }: Reading,
  { maxAvailable, status, ...query }: InventoryFilter,
  sort: AvailableSort
) => {
  const isReversed = sort === "-available"
  const bounds = {
    from: status === "available" ? 1 : undefined,
    before: maxAvailable === undefined ? undefined : maxAvailable + 1
  }
  const [by, byId] = isReversed ? [petsReversedByAvailable, petsReversedBy] : [petsByAvailable, petsBy]
  return pageOf(query, {
    list: "inventory",
    filters: { maxAvailable, status, sort },
    start: "",
    rows: (last, limit) => {
      const after = last === "" ? undefined : placeOf(last, bounds)
      if (last !== "" && after === undefined) return fail(new InvalidCursor({}))
      if (status === undefined || status === "available") return rows.all(by, { ...bounds, after }, limit)
      return rows.all(byId, { status, after: after?.[1] ?? (isReversed ? Number.POSITIVE_INFINITY : 0) }, limit)
    },
    position: ({ id, stock }) => `${available(stock)} ${id}`,
    item: ({ id, stock }) => toInventoryItem(id, stock)
  })
}

export const inventoryQueries = {
  *get({ rows }: Reading, petId: number) {
    return toVersioned((yield* rows.find(table, petId)) ?? (yield* notFound("pet", petId)))
  },

  *list(reading: Reading, filter: InventoryFilter = {}) {
    const { rows } = reading
    const { maxAvailable, status, ...query } = filter
    if (isByAvailable(query.sort)) {
      yield* requireIndex(reading, "inventory.available")
      return yield* pageByAvailable(reading, filter, query.sort)
    }
    const { by, sort, start } = directionOf(query.sort, petsBy, petsReversedBy)
    return yield* pageOf(query, {
      list: "inventory",
      filters: { maxAvailable, status, sort },
      start,
      rows: (after, limit) => rows.all(by, { status, after }, limit),
      selects: maxAvailable === undefined ? undefined : ({ stock }) => available(stock) <= maxAvailable,
      position: (pet) => pet.id,
      item: (pet) => toInventoryItem(pet.id, pet.stock)
    })
  },

  *movements({ rows }: Reading, petId: number, query: MovementQuery = {}) {
    yield* rows.together()
    if ((yield* rows.find(table, petId)) === undefined) yield* notFound("pet", petId)
    const { by, sort, start } = directionOf(query.sort, movementsOf, movementsReversedOf)
    return yield* pageOf(query, {
      list: "movements",
      filters: { petId, sort },
      start,
      rows: (after, limit) => rows.all(by, { petId, after }, limit),
      position: (movement) => movement.seq,
      item: (movement) => movement
    })
  }
}

export const inventoryCommands = {
  *set(call: Call, petId: number, quantity: number, options?: ChangeOptions) {
    yield* once(call, "inventory.set", options, () => changeOf(petId, options, { quantity }))
    const pet = yield* lockPet(call, petId)
    yield* orFail(checkVersion(pet.stockVersion, options))
    return moveStock(call, pet, yield* orFail(setQuantity(petId, pet.stock, quantity)))
  },

  *adjust(call: Call, petId: number, adjustment: InventoryAdjustment, options?: CreateOptions) {
    yield* once(call, "inventory.adjust", options, () => changeOf(petId, undefined, adjustment))
    const pet = yield* lockPet(call, petId)
    return moveStock(call, pet, yield* orFail(adjust(petId, pet.stock, adjustment)))
  },

  *setAll(call: Call, items: ReadonlyArray<InventoryCount>, options?: CreateOptions) {
    yield* once(call, "inventory.setAll", options, () => items)
    return yield* setAll(call, items)
  },

  *adjustAll(call: Call, adjustments: ReadonlyArray<PetAdjustment>, options?: CreateOptions) {
    yield* once(call, "inventory.adjustAll", options, () => adjustments)
    return yield* changeAll(call, adjustments, function* ({ stock }, { petId, ...adjustment }) {
      return yield* orFail(adjust(petId, stock, adjustment))
    })
  }
}
