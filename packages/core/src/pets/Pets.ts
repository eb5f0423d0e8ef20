import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Category } from "../categories/Category.ts"
import { InvalidCursor, ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { NotFound, PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import { type Command, fail, orFail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import type { PetEventData } from "../events/eventData.ts"
import { changeOf, deletion, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { toInventoryItem } from "../inventory/InventoryItem.ts"
import { movementsOf, saveStock } from "../inventory/ledger.ts"
import * as Stock from "../inventory/Stock.ts"
import { map } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { removeRecord } from "../records/recordCommands.ts"
import type { Call } from "../services/Call.ts"
import { found } from "../services/found.ts"
import { checkNewPet, checkStatus, type Refused } from "../services/hostRules.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import { lockVersion } from "../services/precondition.ts"
import type { UseCases } from "../services/UseCases.ts"
import {
  categories,
  ledger,
  pets,
  petsBy,
  petsReversedBy,
  shownPetsBy,
  shownPetsReversedBy,
  versionedPets
} from "../tables/index.ts"
import { createAll, newPetRow } from "./createPets.ts"
import {
  amendDetails,
  type NewPet,
  type Pet,
  type PetUpdate,
  type PetWithInventory,
  sameDetails,
  toPet
} from "./Pet.ts"
import { type InvalidStatusTransition, type PetHasOpenOrders, type PetReserved, UnknownCategory } from "./PetErrors.ts"
import type { PetFilter } from "./PetFilter.ts"
import type { PetQuery, PetRecord, ShownPet } from "./petTable.ts"

/** A pet and its stock, each with its version. */
export type VersionedPetWithInventory = Versioned<Pet> & {
  readonly inventory: Versioned<PetWithInventory["inventory"]>
}

/** The methods of `petstore.pets`. */
export interface PetMethods<Options extends CallOptions = CallOptions> {
  /** Creates a pet. Fails with `unknown_category`. */
  create(pet: NewPet, options?: CreateOptions & Options): Promise<Versioned<Pet>>
  /**
   * Creates 1 to 1,000 pets: all of them, or none if one is rejected. An error has the index of that pet in `details.index`. Returns
   * them in the same order. Fails with `unknown_category`.
   *
   * @beta
   */
  createAll(pets: ReadonlyArray<NewPet>, options?: CreateOptions & Options): Promise<ReadonlyArray<Pet>>
  /** Reads a pet. Fails with `not_found`. */
  get(petId: number, options?: Options): Promise<Versioned<Pet>>
  /** Reads a pet and its stock at one moment. Fails with `not_found`. */
  getWithInventory(petId: number, options?: Options): Promise<VersionedPetWithInventory>
  /** Lists one page of pets: in ascending order of ids or, with the filter `name`, of names by code points, or as `sort` says. */
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

const toVersioned = (pet: PetRecord): PetEventData => Object.assign(toPet(pet, pet.stock), { version: pet.version })

function* requireCategory({ tx }: Call, categoryId: number): Command<Category, UnknownCategory> {
  const record = yield* tx.lockShared(categories, categoryId)
  return record?.category ?? (yield* fail(new UnknownCategory({ categoryId })))
}

/** Adds a pet with its stock, the ledger of that, and the events. */
function* create(call: Call, input: NewPet): Command<PetEventData, UnknownCategory | Refused> {
  const category = yield* requireCategory(call, input.categoryId)
  const at = call.now()
  if (call.rules.newPet !== undefined) yield* checkNewPet(call, at, input, category)
  const change = Stock.initial(input.status)
  const row = newPetRow(input, change, at)
  const pet = yield* call.tx.insert(pets, (id) => ({ id, ...row }))
  call.tx.append(ledger, movementsOf(call, at, pet.id, 0, change))
  const created = toVersioned(pet)
  const stock = { ...toInventoryItem(pet.id, change.stock), held: change.stock.held, version: 1 }
  call.record(at, [newEvent("pet.created", created), newEvent("inventory.updated", stock)])
  return created
}

type UpdateError =
  | NotFound
  | PreconditionFailed
  | UnknownCategory
  | InvalidStatusTransition
  | PetReserved
  | PetHasOpenOrders
  | Refused

function* update(
  call: Call,
  id: number,
  changes: PetUpdate,
  options?: ChangeOptions
): Command<PetEventData, UpdateError> {
  const pet = yield* lockVersion(call, pets, id, "pet", options)
  const { status } = changes
  const details = amendDetails(pet, changes)
  const entered = details.categoryId === pet.categoryId ? undefined : yield* requireCategory(call, details.categoryId)
  const change =
    status === undefined
      ? { stock: pet.stock, movements: [] }
      : yield* orFail(Stock.requestStatus(id, pet.stock, status))
  const at = call.now()
  if (call.rules.petStatus !== undefined && status !== undefined && change.movements.length > 0) {
    yield* checkStatus(call, at, { ...pet, ...details }, change.stock, status, entered)
  }
  const recorded = saveStock(call, at, pet, change, { details })
  const updated = toVersioned(recorded.pet)
  const own = sameDetails(details, pet) ? [] : [newEvent("pet.updated", updated)]
  call.record(at, [...own, ...recorded.events])
  return updated
}

function* remove(
  call: Call,
  id: number,
  options?: ChangeOptions
): Command<{ readonly id: number }, NotFound | PreconditionFailed | PetHasOpenOrders> {
  const pet = yield* lockVersion(call, pets, id, "pet", options)
  const change = yield* orFail(Stock.remove(id, pet.stock))
  const at = call.now()
  call.tx.append(ledger, movementsOf(call, at, id, pet.lastMovement, change))
  const lastMovement = pet.lastMovement + change.movements.length
  call.tx.save(pets, { ...pet, stock: change.stock, lastMovement, updatedAt: at, deleted: true })
  yield* removeRecord(call, "pets", id)
  call.record(at, [newEvent("pet.deleted", { id })])
  return { id }
}

/** The use cases of pets. Inputs are decoded already. */
export class Pets extends Context.Service<
  Pets,
  UseCases<
    PetMethods,
    {
      create: UnknownCategory | RuleRefusal | IdempotencyError
      createAll: UnknownCategory | RuleRefusal | IdempotencyError
      get: NotFound
      getWithInventory: NotFound
      list: InvalidCursor | ValidationFailed
      update:
        | NotFound
        | PreconditionFailed
        | UnknownCategory
        | InvalidStatusTransition
        | PetReserved
        | PetHasOpenOrders
        | RuleRefusal
        | IdempotencyError
      delete: NotFound | PreconditionFailed | PetHasOpenOrders | IdempotencyError
    }
  >
>()("@petstore/core/pets/Pets") {
  static readonly layer = Layer.effect(
    Pets,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      const asItIs = (pet: ShownPet): Pet => pet
      /** Some pets by their ids, which are few, as a query selects and sorts them. */
      const chosen = ({ compare, selects }: typeof petsBy, query: PetQuery, ids: ReadonlyArray<number>) =>
        map(storage.findAll(pets, ids), (all) =>
          all
            .filter((pet) => selects(pet, query))
            .sort((one, other) => compare(one, other, query))
            .map((pet) => toPet(pet, pet.stock))
        )

      return {
        create: (input, options) =>
          idempotency.once("pets.create", meaningOf(input), options, (call) => create(call, input)),

        createAll: (inputs, options) =>
          idempotency.once("pets.createAll", inputs.map(meaningOf), options, (call) => createAll(call, inputs)),

        get: (id) => found("pet", id, storage.find(versionedPets, id)),

        getWithInventory: (id) =>
          map(found("pet", id, storage.find(pets, id)), (pet) => ({
            ...toVersioned(pet),
            inventory: { ...toInventoryItem(id, pet.stock), version: pet.stockVersion }
          })),

        list: ({ status, categoryId, name, id, sort = name === undefined ? "id" : "name", count, ...query } = {}) => {
          const isById = sort === "id" || sort === "-id"
          if (isById && name !== undefined) return Effect.fail(unsorted())
          const isReversed = sort.startsWith("-")
          const ids = id === undefined ? undefined : [...new Set(id)].sort((a, b) => a - b)
          const filters = { status, categoryId, name: isById ? undefined : (name ?? "") }
          const fetch = (place: Pick<PetQuery, "after" | "afterName">, limit: number) => {
            const asked = { ...filters, ...place }
            if (ids === undefined) return storage.select(isReversed ? shownPetsReversedBy : shownPetsBy, asked, limit)
            return map(chosen(isReversed ? petsReversedBy : petsBy, asked, ids), (some) => some.slice(0, limit))
          }
          const all = { ...filters, after: 0 }
          const counted = (most: number) =>
            ids === undefined ? storage.count(petsBy, all, most) : map(chosen(petsBy, all, ids), ({ length }) => length)
          const isDefault = sort === (name === undefined ? "id" : "name")
          const listing = {
            list: "pets",
            filters: { status, categoryId, name, ids, sort: isDefault ? undefined : sort },
            ...(ids === undefined ? {} : { defaultLimit: ids.length }),
            count: count === true ? counted : undefined
          }
          if (isById) {
            const start = isReversed ? Number.POSITIVE_INFINITY : 0
            const byId = { ...listing, start, position: (pet: ShownPet) => pet.id }
            return paginate(query, byId, (after, limit) => fetch({ after }, limit), asItIs)
          }
          const byName = { ...listing, start: "", position: (pet: ShownPet) => `${pet.id} ${pet.name}` }
          return paginate(
            query,
            byName,
            (last, limit): Effect.Effect<ReadonlyArray<ShownPet>, InvalidCursor | StorageError> => {
              const place = placeOf(last, name ?? "")
              return place === undefined ? Effect.fail(new InvalidCursor({})) : fetch(place, limit)
            },
            asItIs
          )
        },

        update: (id, changes, options) =>
          idempotency.once("pets.update", changeOf(id, options, changes), options, (call) =>
            update(call, id, changes, options)
          ),

        delete: (id, options) =>
          map(
            idempotency.once("pets.delete", changeOf(id, options), options, (call) => remove(call, id, options)),
            deletion
          )
      }
    })
  )
}

/** An input with its defaults, so that requests with the same meaning have the same fingerprint. */
const meaningOf = (input: NewPet): NewPet => ({ ...input, status: input.status ?? "available" })

/** A list of names that begin with a text is read in the order of names. */
const unsorted = () =>
  ValidationFailed.of([{ path: "/query/sort", message: "Expected name or -name with the filter name" }])

/** The pet behind which a page of a list by name begins, from its cursor; undefined for a cursor that was made up. */
const placeOf = (last: string, prefix: string): Pick<PetQuery, "after" | "afterName"> | undefined => {
  if (last === "") return { after: 0 }
  const [, id = "", afterName = ""] = /^([1-9]\d{0,15}) (.+)$/su.exec(last) ?? []
  const after = Number(id)
  return after > 0 && Number.isSafeInteger(after) && afterName.startsWith(prefix) ? { after, afterName } : undefined
}
