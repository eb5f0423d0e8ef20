import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { QuantityBelowReserved } from "../domain/errors/PetErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { InventoryFilter, PageQuery } from "../domain/Filters.ts"
import { type InventoryItem, type InventoryUpdate, toInventoryItem } from "../domain/InventoryItem.ts"
import type { Movement } from "../domain/Movement.ts"
import type { Page } from "../domain/Page.ts"
import { setQuantity } from "../domain/Stock.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Journal } from "./Journal.ts"
import type { ChangeOptions, Versioned } from "./Options.ts"
import { paginate } from "./pagination.ts"
import { checkVersion } from "./precondition.ts"
import { StockLedger } from "./StockLedger.ts"

/** The use cases of stock. Inputs are decoded already. */
export class Inventory extends Context.Service<
  Inventory,
  {
    readonly get: (petId: number) => Effect.Effect<Versioned<InventoryItem>, NotFound | StorageError>
    readonly list: (filter?: InventoryFilter) => Effect.Effect<Page<InventoryItem>, InvalidCursor | StorageError>
    /** Sets the units on hand; refused below what is reserved. */
    readonly set: (
      petId: number,
      update: InventoryUpdate,
      options?: ChangeOptions
    ) => Effect.Effect<Versioned<InventoryItem>, NotFound | PreconditionFailed | QuantityBelowReserved | StorageError>
    /** The stock ledger of a pet, oldest first. */
    readonly movements: (
      petId: number,
      query?: PageQuery
    ) => Effect.Effect<Page<Movement>, NotFound | InvalidCursor | StorageError>
  }
>()("@petstore/core/services/Inventory") {
  static readonly layer = Layer.effect(
    Inventory,
    Effect.gen(function* () {
      const storage = yield* Storage
      const journal = yield* Journal
      const ledger = yield* StockLedger
      const { movements, pets } = storage

      const toVersioned = (pet: PetRecord): Versioned<InventoryItem> => ({
        ...toInventoryItem(pet.id, pet.stock),
        version: pet.stockVersion
      })
      const found = (petId: number) => (pet: PetRecord | undefined) =>
        pet === undefined ? Effect.fail(NotFound.of("pet", petId)) : Effect.succeed(pet)

      return {
        get: (petId) => Effect.map(Effect.flatMap(pets.find(petId), found(petId)), toVersioned),

        list: ({ status, ...query } = {}) =>
          paginate(
            query,
            { list: "inventory", filters: { status }, start: 0, position: (pet: PetRecord) => pet.id },
            (after, limit) => pets.list({ status, after, limit }),
            (pet) => toInventoryItem(pet.id, pet.stock)
          ),

        set: (petId, { quantity }, options) =>
          storage.transact(
            Effect.gen(function* () {
              const pet = yield* Effect.flatMap(pets.lock(petId), found(petId))
              yield* checkVersion(pet.stockVersion, options)
              const change = yield* Effect.fromResult(setQuantity(petId, pet.stock, quantity))
              const at = yield* journal.now
              const recorded = yield* ledger.apply(pet, change, { at })
              yield* journal.record(at, recorded.events)
              return toVersioned(recorded.pet)
            }),
            "inventory.set"
          ),

        movements: (petId, query = {}) =>
          Effect.flatMap(Effect.flatMap(pets.find(petId), found(petId)), () =>
            paginate(
              query,
              { list: "movements", filters: { petId }, start: 0, position: (movement: Movement) => movement.seq },
              (after, limit) => movements.list(petId, after, limit),
              (movement) => movement
            )
          )
      }
    })
  )
}
