import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { atIndex, type PetstoreError } from "../domain/errors/PetstoreError.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { type Command, fail, mapFailure, orFail } from "../engine/Command.ts"
import type { NewEvent } from "../events/Event.ts"
import { changeOf, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import type { QuantityBelowReserved, StockLimitExceeded } from "../pets/PetErrors.ts"
import type { PetRecord } from "../pets/petTable.ts"
import { goOn, map } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { Call } from "../services/Call.ts"
import { found } from "../services/found.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import { checkVersion } from "../services/precondition.ts"
import type { UseCases } from "../services/UseCases.ts"
import { ledger, movementsOf, petsBy, pets as table } from "../tables/index.ts"
import type { InventoryFilter } from "./InventoryItem.ts"
import {
  type InventoryAdjustment,
  type InventoryCount,
  type InventoryItem,
  type PetAdjustment,
  toInventoryItem
} from "./InventoryItem.ts"
import { savePet, saveStock } from "./ledger.ts"
import type { Movement } from "./Movement.ts"
import { adjust, type StockChange, setQuantity } from "./Stock.ts"

/** The methods of `petstore.inventory`: the stock of pets and its ledger. */
export interface InventoryMethods<Options extends CallOptions = CallOptions> {
  /** Reads the stock of a pet. Fails with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<InventoryItem>>
  /** Lists one page of the stock, in ascending order of pet ids. */
  list(filter?: InventoryFilter, options?: Options): Promise<Page<InventoryItem>>
  /** Iterates over the stock of all pages. */
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
  /** Lists one page of the stock ledger of a pet, oldest first. Fails with `not_found`. */
  movements(petId: number, query?: PageQuery, options?: Options): Promise<Page<Movement>>
  /** Iterates over the whole stock ledger of a pet, oldest first. Fails with `not_found`. */
  allMovements(petId: number, query?: PageQuery, options?: Options): AsyncIterable<Movement>
}

const toVersioned = (pet: PetRecord): Versioned<InventoryItem> => ({
  ...toInventoryItem(pet.id, pet.stock),
  version: pet.stockVersion
})

function* lockPet({ tx }: Call, petId: number): Command<PetRecord, NotFound> {
  return (yield* tx.lock(table, petId)) ?? (yield* fail(NotFound.of("pet", petId)))
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

/** The use cases of stock. Inputs are decoded already. */
export class Inventory extends Context.Service<
  Inventory,
  UseCases<
    InventoryMethods,
    {
      get: NotFound
      list: InvalidCursor
      set: NotFound | PreconditionFailed | QuantityBelowReserved | IdempotencyError
      adjust: NotFound | QuantityBelowReserved | StockLimitExceeded | IdempotencyError
      setAll: NotFound | PreconditionFailed | QuantityBelowReserved | IdempotencyError
      adjustAll: NotFound | QuantityBelowReserved | StockLimitExceeded | IdempotencyError
      movements: NotFound | InvalidCursor
    }
  >
>()("@petstore/core/inventory/Inventory") {
  static readonly layer = Layer.effect(
    Inventory,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      const petOf = (id: number) => found("pet", id, storage.find(table, id))

      return {
        get: (petId) => map(petOf(petId), toVersioned),

        list: ({ status, ...query } = {}) =>
          paginate(
            query,
            { list: "inventory", filters: { status }, start: 0, position: (pet: PetRecord) => pet.id },
            (after, limit) => storage.select(petsBy, { status, after }, limit),
            (pet) => toInventoryItem(pet.id, pet.stock)
          ),

        set: (petId, quantity, options) =>
          idempotency.once("inventory.set", changeOf(petId, options, { quantity }), options, function* (call) {
            const pet = yield* lockPet(call, petId)
            yield* orFail(checkVersion(pet.stockVersion, options))
            return moveStock(call, pet, yield* orFail(setQuantity(petId, pet.stock, quantity)))
          }),

        adjust: (petId, adjustment, options) =>
          idempotency.once("inventory.adjust", changeOf(petId, undefined, adjustment), options, function* (call) {
            const pet = yield* lockPet(call, petId)
            return moveStock(call, pet, yield* orFail(adjust(petId, pet.stock, adjustment)))
          }),

        setAll: (items, options) => idempotency.once("inventory.setAll", items, options, (call) => setAll(call, items)),

        adjustAll: (adjustments, options) =>
          idempotency.once("inventory.adjustAll", adjustments, options, (call) =>
            changeAll(call, adjustments, function* ({ stock }, { petId, ...adjustment }) {
              return yield* orFail(adjust(petId, stock, adjustment))
            })
          ),

        movements: (petId, query = {}) =>
          goOn(petOf(petId), () =>
            paginate(
              query,
              { list: "movements", filters: { petId }, start: 0, position: (movement: Movement) => movement.seq },
              (after, limit) => storage.select(movementsOf, { petId, after }, limit),
              (movement) => movement
            )
          )
      }
    })
  )
}
