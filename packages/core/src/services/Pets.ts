import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { newEvent } from "../domain/Event.ts"
import { InvalidCursor } from "../domain/errors/InputErrors.ts"
import {
  type InvalidStatusTransition,
  type PetHasOpenOrders,
  type PetReserved,
  UnknownCategory
} from "../domain/errors/PetErrors.ts"
import { NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { PetEventData } from "../domain/eventData.ts"
import type { PetFilter } from "../domain/Filters.ts"
import { toInventoryItem } from "../domain/InventoryItem.ts"
import type { Page } from "../domain/Page.ts"
import {
  amendDetails,
  type NewPet,
  Pet,
  type PetUpdate,
  type PetWithInventory,
  sameDetails,
  toPet
} from "../domain/Pet.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import * as Stock from "../domain/Stock.ts"
import { immediateRows } from "../ports/immediateRows.ts"
import type { PetQuery, PetRecord, ShownPet } from "../ports/PetRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type Caller, forCaller } from "./Caller.ts"
import { HostRules } from "./HostRules.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import { newPetRow } from "./newPetRow.ts"
import { type CallOptions, type ChangeOptions, type CreateOptions, type Versioned, versioned } from "./Options.ts"
import { paginate } from "./pagination.ts"
import { checkVersion } from "./precondition.ts"
import { StockLedger } from "./StockLedger.ts"
import type { UseCases } from "./UseCases.ts"

/** A pet and its stock, each with its version. */
export type VersionedPetWithInventory = Versioned<Pet> & {
  readonly inventory: Versioned<PetWithInventory["inventory"]>
}

/** The methods of `petstore.pets`. */
export interface PetMethods<Options extends CallOptions = CallOptions> {
  /** Creates a pet. Fails with `unknown_category`. */
  create(pet: NewPet, options?: CreateOptions & Options): Promise<Versioned<Pet>>
  /** Reads a pet. Fails with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<Pet>>
  /** Reads a pet and its stock at one moment. Fails with `not_found`. */
  getWithInventory(petId: number, options?: Options): Promise<VersionedPetWithInventory>
  /** Lists one page of pets, in ascending order of ids; with the filter `name`, in the order of names by code points, then of ids. */
  list(filter?: PetFilter, options?: Options): Promise<Page<Pet>>
  /** Iterates over the pets of all pages. */
  all(filter?: PetFilter, options?: Options): AsyncIterable<Pet>
  /**
   * Updates the fields that are present. Fails with `not_found`, `precondition_failed`, `unknown_category`,
   * `invalid_status_transition`, `pet_reserved`, `pet_has_open_orders`.
   */
  update(petId: number, update: PetUpdate, options?: ChangeOptions & Options): Promise<Versioned<Pet>>
  /** Deletes a pet. Fails with `not_found`, `precondition_failed`, `pet_has_open_orders`. */
  delete(petId: number, options?: ChangeOptions & Options): Promise<void>
}

/** The use cases of pets. Inputs are decoded already. */
export class Pets extends Context.Service<
  Pets,
  UseCases<
    PetMethods,
    {
      create: UnknownCategory | RuleRefusal | IdempotencyError
      get: NotFound
      getWithInventory: NotFound
      list: InvalidCursor
      update:
        | NotFound
        | PreconditionFailed
        | UnknownCategory
        | InvalidStatusTransition
        | PetReserved
        | PetHasOpenOrders
        | RuleRefusal
      delete: NotFound | PreconditionFailed | PetHasOpenOrders
    }
  >
>()("@petstore/core/services/Pets") {
  static readonly layer = Layer.effect(
    Pets,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal
      const ledger = yield* StockLedger
      const rules = yield* HostRules
      const { categories, pets } = immediateRows(storage)

      const resultSchema = versioned(Pet)
      const toVersioned = (pet: PetRecord): PetEventData =>
        Object.assign(toPet(pet, pet.stock), { version: pet.version })
      const toShown = (pet: PetRecord): ShownPet => toPet(pet, pet.stock)
      const asItIs = (pet: ShownPet): Pet => pet
      const { findShown } = storage.pets
      const listShown =
        storage.pets.listShown ??
        ((query: PetQuery) => Effect.map(storage.pets.list(query), (found) => found.map(toShown)))
      const found = (id: number) => (pet: PetRecord | undefined) =>
        pet === undefined ? Exit.fail(NotFound.of("pet", id)) : Exit.succeed(pet)
      const requireCategory = (categoryId: number) =>
        Effect.flatMapEager(categories.lockShared(categoryId), (category) =>
          category === undefined ? Exit.fail(new UnknownCategory({ categoryId })) : Exit.succeed(category)
        )

      /** Adds a pet with its stock, the ledger of that, and the events. */
      const add = (input: NewPet, { actor, clock }: Caller, at: string) => {
        const change = Stock.initial(input.status)
        const row = newPetRow(input, change)
        return Effect.flatMapEager(pets.insert(row), (id) =>
          Effect.flatMapEager(ledger.append(id, 0, change, { actor, at }), () => {
            const created = toVersioned({ id, ...row })
            const stock = { ...toInventoryItem(id, change.stock), held: change.stock.held, version: 1 }
            const events = [newEvent("pet.created", created), newEvent("inventory.updated", stock)]
            return Effect.mapEager(journal.append(clock, at, events), () => created)
          })
        )
      }

      return {
        create: (input, options) =>
          idempotency.once(
            "pets.create",
            { ...input, status: input.status ?? "available" },
            resultSchema,
            options,
            forCaller((caller) =>
              Effect.flatMapEager(requireCategory(input.categoryId), ({ category }) => {
                const at = journal.time(caller.clock)
                return Effect.flatMapEager(rules.newPet?.(at, input, category) ?? Exit.void, () =>
                  add(input, caller, at)
                )
              })
            )
          ),

        // In one step: a read from memory takes less time than another step.
        get:
          findShown === undefined
            ? (id) =>
                Effect.flatMap(storage.pets.find(id), (pet) =>
                  pet === undefined ? Effect.fail(NotFound.of("pet", id)) : Effect.succeed(toVersioned(pet))
                )
            : (id) =>
                Effect.flatMap(findShown(id), (pet) =>
                  pet === undefined ? Effect.fail(NotFound.of("pet", id)) : Effect.succeed(pet)
                ),

        getWithInventory: (id) =>
          Effect.map(Effect.flatMap(storage.pets.find(id), found(id)), (pet) => ({
            ...toVersioned(pet),
            inventory: { ...toInventoryItem(id, pet.stock), version: pet.stockVersion }
          })),

        list: ({ status, categoryId, name, id, ...query } = {}) => {
          const ids = id === undefined ? undefined : [...new Set(id)].sort((a, b) => a - b)
          const filters = { status, categoryId, name, ids }
          const listing = { list: "pets", filters, ...(ids === undefined ? {} : { defaultLimit: ids.length }) }
          if (name === undefined) {
            return paginate(
              query,
              { ...listing, start: 0, position: (pet: ShownPet) => pet.id },
              (after, limit) => listShown({ ...filters, after, limit }),
              asItIs
            )
          }
          return paginate(
            query,
            { ...listing, start: "", position: (pet: ShownPet) => `${pet.id} ${pet.name}` },
            (last, limit): Effect.Effect<ReadonlyArray<ShownPet>, InvalidCursor | StorageError> => {
              const place = placeOf(last, name)
              if (place === undefined) return Effect.fail(new InvalidCursor({}))
              return listShown({ ...filters, ...place, limit })
            },
            asItIs
          )
        },

        update: (id, update, options) =>
          storage.transact(
            forCaller(({ actor, clock }) =>
              Effect.gen(function* () {
                const pet = yield* Effect.flatMapEager(pets.lock(id), found(id))
                yield* checkVersion(pet.version, options)
                const { status } = update
                const details = amendDetails(pet, update)
                const entered =
                  details.categoryId === pet.categoryId ? undefined : yield* requireCategory(details.categoryId)
                const change =
                  status === undefined
                    ? { stock: pet.stock, movements: [] }
                    : yield* Effect.fromResult(Stock.requestStatus(id, pet.stock, status))
                const at = journal.time(clock)
                if (rules.petStatus !== undefined && status !== undefined && change.movements.length > 0) {
                  yield* rules.petStatus(at, { ...pet, ...details }, change.stock, status, entered?.category)
                }
                const recorded = yield* ledger.apply(pet, change, { actor, at }, details)
                const updated = toVersioned(recorded.pet)
                const own = sameDetails(details, pet) ? [] : [newEvent("pet.updated", updated)]
                yield* journal.append(clock, at, [...own, ...recorded.events])
                return updated
              })
            ),
            "pets.update"
          ),

        delete: (id, options) =>
          storage.transact(
            forCaller(({ actor, clock }) =>
              Effect.gen(function* () {
                const pet = yield* Effect.flatMapEager(pets.lock(id), found(id))
                yield* checkVersion(pet.version, options)
                const change = yield* Effect.fromResult(Stock.remove(id, pet.stock))
                const at = journal.time(clock)
                yield* ledger.append(id, pet.lastMovement, change, { actor, at })
                const lastMovement = pet.lastMovement + change.movements.length
                yield* pets.save({ ...pet, stock: change.stock, lastMovement, deleted: true })
                yield* journal.append(clock, at, [newEvent("pet.deleted", { id })])
              })
            ),
            "pets.delete"
          )
      }
    })
  )
}

/** The pet behind which a page of a list by name begins, from its cursor; undefined for a cursor that was made up. */
const placeOf = (last: string, prefix: string): Pick<PetQuery, "after" | "afterName"> | undefined => {
  if (last === "") return { after: 0 }
  const [, id = "", afterName = ""] = /^([1-9]\d{0,15}) (.+)$/su.exec(last) ?? []
  const after = Number(id)
  return after > 0 && Number.isSafeInteger(after) && afterName.startsWith(prefix) ? { after, afterName } : undefined
}
