import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { QuantityBelowReserved } from "../domain/errors/PetErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { InventoryFilter, PageQuery } from "../domain/Filters.ts"
import { type InventoryItem, toInventoryItem } from "../domain/InventoryItem.ts"
import type { Movement } from "../domain/Movement.ts"
import type { Page } from "../domain/Page.ts"
import { setQuantity } from "../domain/Stock.ts"
import { fail, orFail } from "../engine/Command.ts"
import { Storage } from "../ports/Storage.ts"
import type { PetRecord } from "../tables/catalogue.ts"
import { movementsOf, petsBy, pets as table } from "../tables/index.ts"
import { changeOf, Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { saveStock } from "./ledger.ts"
import type { CallOptions, ChangeOptions, Versioned } from "./Options.ts"
import { paginate } from "./pagination.ts"
import { checkVersion } from "./precondition.ts"
import type { UseCases } from "./UseCases.ts"

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
  /** Lists one page of the stock ledger of a pet, oldest first. Fails with `not_found`. */
  movements(petId: number, query?: PageQuery, options?: Options): Promise<Page<Movement>>
  /** Iterates over the whole stock ledger of a pet, oldest first. Fails with `not_found`. */
  allMovements(petId: number, query?: PageQuery, options?: Options): AsyncIterable<Movement>
}

/** The use cases of stock. Inputs are decoded already. */
export class Inventory extends Context.Service<
  Inventory,
  UseCases<
    InventoryMethods,
    {
      get: NotFound
      list: InvalidCursor
      set: NotFound | PreconditionFailed | QuantityBelowReserved | IdempotencyError
      movements: NotFound | InvalidCursor
    }
  >
>()("@petstore/core/services/Inventory") {
  static readonly layer = Layer.effect(
    Inventory,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      const toVersioned = (pet: PetRecord): Versioned<InventoryItem> => ({
        ...toInventoryItem(pet.id, pet.stock),
        version: pet.stockVersion
      })
      const found = (petId: number) => (pet: PetRecord | undefined) =>
        pet === undefined ? Effect.fail(NotFound.of("pet", petId)) : Effect.succeed(pet)

      return {
        get: (petId) => Effect.map(Effect.flatMap(storage.find(table, petId), found(petId)), toVersioned),

        list: ({ status, ...query } = {}) =>
          paginate(
            query,
            { list: "inventory", filters: { status }, start: 0, position: (pet: PetRecord) => pet.id },
            (after, limit) => storage.select(petsBy, { status, after }, limit),
            (pet) => toInventoryItem(pet.id, pet.stock)
          ),

        set: (petId, quantity, options) =>
          idempotency.once("inventory.set", changeOf(petId, options, { quantity }), options, function* (call) {
            const pet = yield* call.tx.lock(table, petId)
            if (pet === undefined) return yield* fail(NotFound.of("pet", petId))
            yield* orFail(checkVersion(pet.stockVersion, options))
            const change = yield* orFail(setQuantity(petId, pet.stock, quantity))
            const at = call.now()
            const recorded = saveStock(call, at, pet, change)
            call.record(at, recorded.events)
            return toVersioned(recorded.pet)
          }),

        movements: (petId, query = {}) =>
          Effect.flatMap(Effect.flatMap(storage.find(table, petId), found(petId)), () =>
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
