import * as Exit from "effect/Exit"
import { violatedPetConstraint } from "../adapter-toolkit/constraints.ts"
import { compareCodePoints, comparePets, isAfterCursor, matchesPetQuery } from "../adapter-toolkit/petQueries.ts"
import { type PetStatus, statusOf } from "../domain/Stock.ts"
import type { PetQuery, PetRecord, PetRows } from "../ports/PetRows.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { type NamedPet, PetNameIndex } from "./PetNameIndex.ts"
import { byNumber, type SortedKeys } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

const isLive = (pet: PetRecord): boolean => !pet.deleted

const liveBy = <Group>(groupOf: (pet: PetRecord) => Group | undefined) =>
  new GroupIndex<number, PetRecord, Group>(byNumber, (pet) => (isLive(pet) ? groupOf(pet) : undefined))

const categoryIf = (status: PetStatus) => (pet: PetRecord) =>
  statusOf(pet.stock) === status ? pet.categoryId : undefined

/** The pets, tombstones included. */
export const petTable = () =>
  new MemoryTable({
    compare: byNumber,
    copy: (pet: PetRecord): PetRecord => ({ ...pet, stock: { ...pet.stock } }),
    indexes: {
      live: liveBy((): true => true),
      status: liveBy((pet) => statusOf(pet.stock)),
      category: liveBy((pet) => pet.categoryId),
      available: liveBy(categoryIf("available")),
      pending: liveBy(categoryIf("pending")),
      sold: liveBy(categoryIf("sold")),
      name: new PetNameIndex()
    }
  })

type PetTable = ReturnType<typeof petTable>

/** The live pets of a status, of a category, of both, or all of them. */
const group = ({ indexes }: PetTable, { status, categoryId }: PetQuery): SortedKeys<number> => {
  if (status === undefined) {
    return categoryId === undefined ? indexes.live.keys(true) : indexes.category.keys(categoryId)
  }
  return categoryId === undefined ? indexes.status.keys(status) : indexes[status].keys(categoryId)
}

/** The ids of the pets whose names have the prefix of the query, from its place on. */
function* named(pets: PetTable, query: PetQuery, prefix: string): Generator<number> {
  const { afterName, categoryId, status } = query
  const isWithin =
    afterName === undefined ? (pet: NamedPet) => compareCodePoints(pet.name, prefix) >= 0 : isAfterCursor(query)
  for (const { id, name } of pets.indexes.name.group(status, categoryId).from((pet) => !isWithin(pet))) {
    if (!name.startsWith(prefix)) return
    yield id
  }
}

const list = (pets: PetTable, query: PetQuery): ReadonlyArray<PetRecord> => {
  const { after, ids, limit, name } = query
  if (ids !== undefined) {
    const chosen = pets.page(new Set(ids), ids.length, matchesPetQuery(query))
    return chosen.filter(isAfterCursor(query)).sort(comparePets(query)).slice(0, limit)
  }
  return pets.page(name === undefined ? group(pets, query).above(after) : named(pets, query, name), limit)
}

/** The pets of a store. */
export const memoryPets = (connection: MemoryConnection): PetRows => {
  const { categories, pets } = connection.database

  const problemOf = (pet: Omit<PetRecord, "id">): string | undefined => {
    const broken = violatedPetConstraint(pet)
    if (broken !== undefined) return broken
    return categories.has(pet.categoryId) ? undefined : `There is no category ${pet.categoryId}`
  }

  /** Replaces a row with what comes of it; undefined where that must not be done so. */
  const save = (pet: PetRecord, replace: (before: PetRecord) => PetRecord | undefined) =>
    connection.change((log) => {
      const before = pets.find(pet.id)
      if (before === undefined) return violation(`There is no pet ${pet.id} to save`)
      const after = replace(before)
      if (after === undefined) return violation(`The status of pet ${pet.id} changes: save all of it`)
      const problem = problemOf(after)
      if (problem !== undefined) return violation(problem)
      log.put(pets, pet.id, after)
      return Exit.void
    })

  return {
    find: (id) => connection.read(() => pets.find(id, isLive)),
    lock: (id) => connection.lock(() => pets.find(id, isLive)),
    list: (query) => connection.read(() => list(pets, query)),
    anyInCategory: (categoryId) => connection.read(() => pets.indexes.category.keys(categoryId).size > 0),
    insert: (pet) =>
      connection.change((log) => {
        const problem = problemOf(pet)
        if (problem !== undefined) return violation(problem)
        const id = nextId(pets)
        log.put(pets, id, { ...pet, id })
        return Exit.succeed(id)
      }),
    save: (pet) => save(pet, () => pet),
    saveStock: (pet) =>
      save(pet, (before) =>
        statusOf(before.stock) === statusOf(pet.stock)
          ? { ...before, stock: pet.stock, stockVersion: pet.stockVersion, lastMovement: pet.lastMovement }
          : undefined
      ),
    scan: (after, limit) => connection.read(() => pets.page(pets.keys.above(after), limit))
  }
}
