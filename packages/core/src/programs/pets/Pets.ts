import type { Category } from "../../domain/categories/Category.ts"
import { InvalidCursor, ValidationFailed } from "../../domain/errors/InputErrors.ts"
import { newEvent } from "../../domain/events/Event.ts"
import type { PetEventData } from "../../domain/events/eventData.ts"
import { toInventoryItem } from "../../domain/inventory/InventoryItem.ts"
import * as Stock from "../../domain/inventory/Stock.ts"
import {
  amendDetails,
  type NewPet,
  type Pet,
  type PetUpdate,
  type PetWithInventory,
  sameDetails,
  toPet
} from "../../domain/pets/Pet.ts"
import { UnknownCategory } from "../../domain/pets/PetErrors.ts"
import type { PetFilter } from "../../domain/pets/PetFilter.ts"
import { searchedWords } from "../../domain/pets/words.ts"
import type { Include, IncludedRecord, IncludeOption, Shown, ShownPage } from "../../domain/records/IncludedRecord.ts"
import type { Metadata } from "../../domain/records/ResourceRecord.ts"
import { type Command, fail, orFail } from "../../kernel/Command.ts"
import type { Query } from "../../kernel/Table.ts"
import {
  categories,
  ledger,
  pets,
  petsBy,
  petsReversedBy,
  shownPetsBy,
  shownPetsReversedBy,
  versionedPets
} from "../../tables/index.ts"
import type { PetQuery, PetRecord, ShownPet } from "../../tables/petTable.ts"
import { refused, type TimeOrder, timeOrderOf } from "../../tables/TimeOrder.ts"
import type { Call, Reading } from "../Call.ts"
import { checkNewPet, checkStatus } from "../hostRules.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { movementsOf, saveStock } from "../inventory/ledger.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, CreateOptions, Versioned } from "../Options.ts"
import { pageOf } from "../pagination.ts"
import { lockVersion } from "../precondition.ts"
import { pageWithRecords, removeRecord, withRecord } from "../records/recordCommands.ts"
import { pageByMetadata, pageByTime } from "../records/recordLists.ts"
import { createAll, newPetRow } from "./createPets.ts"

/** A pet and its stock, each with its version. */
export type VersionedPetWithInventory = Versioned<Pet> & {
  readonly inventory: Versioned<PetWithInventory["inventory"]>
}

/** The methods of `petstore.pets`. */
export interface PetMethods<Options extends CallOptions = CallOptions, M extends Metadata = Metadata> {
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
  get<I extends Include = undefined>(
    petId: number,
    options?: IncludeOption<I> & Options
  ): Promise<Shown<Versioned<Pet>, IncludedRecord<M>, I>>
  /** Reads a pet and its stock at one moment. Fails with `not_found`. */
  getWithInventory<I extends Include = undefined>(
    petId: number,
    options?: IncludeOption<I> & Options
  ): Promise<Shown<VersionedPetWithInventory, IncludedRecord<M>, I>>
  /** Lists one page of pets: in ascending order of ids or, with the filter `name`, of names by code points, or as `sort` says. */
  list<I extends Include = undefined>(
    filter?: PetFilter & IncludeOption<I>,
    options?: Options
  ): Promise<ShownPage<Pet, IncludedRecord<M>, I>>
  /** Iterates over all pets, a page at a time. */
  all<I extends Include = undefined>(
    filter?: PetFilter & IncludeOption<I>,
    options?: Options
  ): AsyncIterable<Shown<Pet, IncludedRecord<M>, I>>
  /**
   * Updates the fields that are present. Fails with `not_found`, `precondition_failed`, `unknown_category`,
   * `invalid_status_transition`, `pet_reserved`, `pet_has_open_orders`.
   */
  update(petId: number, update: PetUpdate, options?: ChangeOptions & Options): Promise<Versioned<Pet>>
  /** Deletes a pet. Fails with `not_found`, `precondition_failed`, `pet_has_open_orders`. */
  delete(petId: number, options?: ChangeOptions & Options): Promise<void>
}

const toVersioned = (pet: PetRecord): PetEventData => ({ ...toPet(pet, pet.stock), version: pet.version })

function* requireCategory({ tx }: Call, categoryId: number): Command<Category, UnknownCategory> {
  const record = yield* tx.lockShared(categories, categoryId)
  return record?.category ?? (yield* fail(new UnknownCategory({ categoryId })))
}

/** Some pets by their ids, which are few, as a query selects and sorts them. */
function* chosen<Row>(
  { rows }: Reading,
  { compare, selects }: typeof petsBy,
  query: PetQuery,
  ids: ReadonlyArray<number>,
  of: (pet: PetRecord) => Row,
  limit = ids.length
): Command<ReadonlyArray<Row>> {
  return (yield* rows.findAll(pets, ids))
    .filter((pet) => selects(pet, query))
    .sort((one, other) => compare(one, other, query))
    .slice(0, limit)
    .map(of)
}

/** What a list reads of pets. */
interface PetRows<Row> {
  readonly by: Query<Row, PetQuery>
  readonly reversedBy: Query<Row, PetQuery>
  readonly of: (pet: PetRecord) => Row
}

const shownRows: PetRows<ShownPet> = {
  by: shownPetsBy,
  reversedBy: shownPetsReversedBy,
  of: (pet) => toPet(pet, pet.stock)
}

const wholeRows: PetRows<PetRecord> = { by: petsBy, reversedBy: petsReversedBy, of: (pet) => pet }

/** Ids without duplicates, in their order. */
const sortedIds = (ids: PetFilter["id"]) => (ids === undefined ? undefined : [...new Set(ids)].sort((a, b) => a - b))

/** A page of pets in the order of a time. */
const pageOfTimes = (reading: Reading, filter: PetFilter, order: TimeOrder) => {
  const { rows } = reading
  const { categoryId, count, id, sort, status } = filter
  const ids = sortedIds(id)
  const by = order.isReversed ? petsReversedBy : petsBy
  const whole = (pet: PetRecord) => pet
  return pageByTime(
    reading,
    "pets",
    filter,
    {
      order,
      sort,
      filters: { status, categoryId, ids },
      defaultLimit: ids?.length,
      *rows(place, limit) {
        const asked = { status, categoryId, ...place }
        return yield* ids === undefined ? rows.all(by, asked, limit) : chosen(reading, by, asked, ids, whole, limit)
      },
      count:
        count === true
          ? function* (time, most) {
              const asked = { status, categoryId, after: 0, time }
              return ids === undefined
                ? yield* rows.count(petsBy, asked, most)
                : (yield* chosen(reading, petsBy, asked, ids, whole)).length
            }
          : undefined
    },
    pets.keyOf
  )
}

/** A page of pets by metadata or by a time; undefined for the other lists. */
function* pageByRecord(reading: Reading, { metadata, ...filter }: PetFilter) {
  if (metadata !== undefined) return yield* pageByMetadata(reading, "pets", pets, metadata, filter)
  const order = yield* timeOrderOf(filter)
  if (order === undefined) return undefined
  for (const field of ["name", "search"] as const)
    if (filter[field] !== undefined) return yield* refused(field, `Expected no ${field} with a list by ${order.by}`)
  return yield* pageOfTimes(reading, filter, order)
}

type SortedFilter = PetFilter & Required<Pick<PetFilter, "sort">>

/** A page of pets: in the order of their ids, or of their names. */
const pageOfPets = <Row extends { readonly id: number; readonly name: string }>(
  reading: Reading,
  filter: SortedFilter,
  { by, of, reversedBy }: PetRows<Row>
) => {
  const { rows } = reading
  const { categoryId, count, id, name, search, sort, status } = filter
  const isById = sort === "id" || sort === "-id"
  const isReversed = sort.startsWith("-")
  const ids = sortedIds(id)
  const words = search === undefined ? undefined : searchedWords(search).join(" ")
  const filters = { status, categoryId, name: isById ? undefined : (name ?? ""), words }
  const fetch = (place: Pick<PetQuery, "after" | "afterName">, limit: number) => {
    const asked = { ...filters, ...place }
    if (ids === undefined) return rows.all(isReversed ? reversedBy : by, asked, limit)
    return chosen(reading, isReversed ? petsReversedBy : petsBy, asked, ids, of, limit)
  }
  const all = { ...filters, after: 0 }
  function* countChosen(some: ReadonlyArray<number>) {
    return (yield* chosen(reading, petsBy, all, some, of)).length
  }
  const isDefault = sort === (name === undefined ? "id" : "name")
  const listing = {
    list: "pets",
    filters: { status, categoryId, name, words, ids, sort: isDefault ? undefined : sort },
    defaultLimit: ids?.length,
    count:
      count === true
        ? (most: number) => (ids === undefined ? rows.count(petsBy, all, most) : countChosen(ids))
        : undefined,
    item: (pet: Row) => pet
  }
  const byId = {
    ...listing,
    start: isReversed ? Number.POSITIVE_INFINITY : 0,
    position: (pet: Row) => pet.id,
    rows: (after: number, limit: number) => fetch({ after }, limit)
  }
  const byName = {
    ...listing,
    start: "",
    position: (pet: Row) => `${pet.id} ${pet.name}`,
    rows: (last: string, limit: number) => {
      const place = placeOf(last, name ?? "")
      return place === undefined ? fail(new InvalidCursor({})) : fetch(place, limit)
    }
  }
  return isById ? pageOf(filter, byId) : pageOf(filter, byName)
}

export const petQueries = {
  *get(reading: Reading, id: number, { include }: IncludeOption = {}) {
    if (include === undefined) return (yield* reading.rows.find(versionedPets, id)) ?? (yield* notFound("pet", id))
    yield* reading.rows.together()
    const pet = (yield* reading.rows.find(pets, id)) ?? (yield* notFound("pet", id))
    return yield* withRecord(reading, "pets", pet, toVersioned(pet))
  },

  *getWithInventory(reading: Reading, id: number, { include }: IncludeOption = {}) {
    if (include !== undefined) yield* reading.rows.together()
    const pet = (yield* reading.rows.find(pets, id)) ?? (yield* notFound("pet", id))
    const inventory = { ...toInventoryItem(id, pet.stock), version: pet.stockVersion }
    const shown = { ...toVersioned(pet), inventory }
    return include === undefined ? shown : yield* withRecord(reading, "pets", pet, shown)
  },

  *list(reading: Reading, { include, ...filter }: PetFilter & IncludeOption = {}) {
    if (filter.count === true || include !== undefined) yield* reading.rows.together()
    const special = yield* pageByRecord(reading, filter)
    const { name, sort = name === undefined ? "id" : "name" } = filter
    if ((sort === "id" || sort === "-id") && name !== undefined) return yield* fail(unsorted())
    if (filter.search !== undefined && reading.shared.search === undefined) return yield* fail(notSearched())
    const sorted = { ...filter, sort }
    if (special === undefined && include === undefined) return yield* pageOfPets(reading, sorted, shownRows)
    const page = special ?? (yield* pageOfPets(reading, sorted, wholeRows))
    return include === undefined
      ? { ...page, items: page.items.map((pet) => toPet(pet, pet.stock)) }
      : yield* pageWithRecords(reading, "pets", page, (pet, record) => ({ ...toPet(pet, pet.stock), record }))
  }
}

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
    if (status !== undefined && change.movements.length > 0) {
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

const notSearched = () =>
  ValidationFailed.of([
    {
      path: "/query/search",
      message:
        'This petstore has no search by words. Open it with the option search: "words" (petstore serve --search words), or filter by name'
    }
  ])

/** The pet behind which a page of a list by name begins, from its cursor; undefined for a cursor that was made up. */
const placeOf = (last: string, prefix: string): Pick<PetQuery, "after" | "afterName"> | undefined => {
  if (last === "") return { after: 0 }
  const [, id = "", afterName = ""] = /^([1-9]\d{0,15}) (.+)$/su.exec(last) ?? []
  const after = Number(id)
  return after > 0 && Number.isSafeInteger(after) && afterName.startsWith(prefix) ? { after, afterName } : undefined
}
