import type { Category } from "../categories/Category.ts"
import { InvalidCursor, ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { Page } from "../domain/Page.ts"
import { type Command, fail, orFail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import type { PetEventData } from "../events/eventData.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { toInventoryItem } from "../inventory/InventoryItem.ts"
import { movementsOf, saveStock } from "../inventory/ledger.ts"
import * as Stock from "../inventory/Stock.ts"
import { removeRecord } from "../records/recordCommands.ts"
import type { Call, Reading } from "../services/Call.ts"
import { found } from "../services/found.ts"
import { checkNewPet, checkStatus } from "../services/hostRules.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../services/Options.ts"
import { pageOf } from "../services/pagination.ts"
import { lockVersion } from "../services/precondition.ts"
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
import { UnknownCategory } from "./PetErrors.ts"
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
  /** Iterates over all pets, a page at a time. */
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

/** Some pets by their ids, which are few, as a query selects and sorts them. */
function* chosen(
  { rows }: Reading,
  { compare, selects }: typeof petsBy,
  query: PetQuery,
  ids: ReadonlyArray<number>,
  limit = ids.length
): Command<ReadonlyArray<ShownPet>> {
  return (yield* rows.findAll(pets, ids))
    .filter((pet) => selects(pet, query))
    .sort((one, other) => compare(one, other, query))
    .slice(0, limit)
    .map((pet) => toPet(pet, pet.stock))
}

/** A list of pets: in the order of their ids, or of their names. */
const listOf = (
  reading: Reading,
  { categoryId, count, id, name, sort, status }: PetFilter & Required<Pick<PetFilter, "sort">>
) => {
  const { rows } = reading
  const isById = sort === "id" || sort === "-id"
  const isReversed = sort.startsWith("-")
  const ids = id === undefined ? undefined : [...new Set(id)].sort((a, b) => a - b)
  const filters = { status, categoryId, name: isById ? undefined : (name ?? "") }
  const fetch = (place: Pick<PetQuery, "after" | "afterName">, limit: number) => {
    const asked = { ...filters, ...place }
    if (ids === undefined) return rows.all(isReversed ? shownPetsReversedBy : shownPetsBy, asked, limit)
    return chosen(reading, isReversed ? petsReversedBy : petsBy, asked, ids, limit)
  }
  const all = { ...filters, after: 0 }
  function* countChosen(some: ReadonlyArray<number>) {
    return (yield* chosen(reading, petsBy, all, some)).length
  }
  const isDefault = sort === (name === undefined ? "id" : "name")
  const listing = {
    list: "pets",
    filters: { status, categoryId, name, ids, sort: isDefault ? undefined : sort },
    defaultLimit: ids?.length,
    count:
      count === true
        ? (most: number) => (ids === undefined ? rows.count(petsBy, all, most) : countChosen(ids))
        : undefined,
    item: (pet: ShownPet): Pet => pet
  }
  const byId = {
    ...listing,
    start: isReversed ? Number.POSITIVE_INFINITY : 0,
    position: (pet: ShownPet) => pet.id,
    rows: (after: number, limit: number) => fetch({ after }, limit)
  }
  const byName = {
    ...listing,
    start: "",
    position: (pet: ShownPet) => `${pet.id} ${pet.name}`,
    rows: (last: string, limit: number) => {
      const place = placeOf(last, name ?? "")
      return place === undefined ? fail(new InvalidCursor({})) : fetch(place, limit)
    }
  }
  return { byId, byName, isById }
}

/** What reads pets. */
export const petQueries = {
  *get({ rows }: Reading, id: number) {
    return yield* found("pet", id, rows.find(versionedPets, id))
  },

  *getWithInventory({ rows }: Reading, id: number) {
    const pet = yield* found("pet", id, rows.find(pets, id))
    return { ...toVersioned(pet), inventory: { ...toInventoryItem(id, pet.stock), version: pet.stockVersion } }
  },

  *list(reading: Reading, filter: PetFilter = {}) {
    const { name, sort = name === undefined ? "id" : "name" } = filter
    if ((sort === "id" || sort === "-id") && name !== undefined) return yield* fail(unsorted())
    if (filter.count === true) yield* reading.rows.together()
    const { byId, byName, isById } = listOf(reading, { ...filter, sort })
    return isById ? yield* pageOf(filter, byId) : yield* pageOf(filter, byName)
  }
}

/** The commands that change pets. */
export const petCommands = {
  *create(call: Call, input: NewPet, options?: CreateOptions) {
    yield* once(call, "pets.create", options, () => meaningOf(input))
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
  },

  *createAll(call: Call, inputs: ReadonlyArray<NewPet>, options?: CreateOptions) {
    yield* once(call, "pets.createAll", options, () => inputs.map(meaningOf))
    return yield* createAll(call, inputs)
  },

  *update(call: Call, id: number, changes: PetUpdate, options?: ChangeOptions) {
    yield* once(call, "pets.update", options, () => changeOf(id, options, changes))
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
  },

  *delete(call: Call, id: number, options?: ChangeOptions) {
    yield* once(call, "pets.delete", options, () => changeOf(id, options))
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
