import { Exit } from "effect"
import { type PetStatus, statusOf } from "../domain/Stock.ts"
import { brokenPetRule } from "../ports/constraints.ts"
import { matchesPet } from "../ports/matchesPet.ts"
import type { PetQuery, PetRecord, PetRows } from "../ports/PetRows.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { byNumber, SortedKeys } from "./SortedKeys.ts"
import { TextIndex } from "./TextIndex.ts"
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
      name: new TextIndex(byNumber, (pet: PetRecord) => (isLive(pet) ? pet.name : undefined))
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

const sorted = (ids: Iterable<number>): SortedKeys<number> => {
  const keys = new SortedKeys(byNumber)
  for (const id of ids) keys.add(id)
  return keys
}

/** Ids in ascending order that are not many more than those that match. */
const candidates = (pets: PetTable, query: PetQuery): Iterable<number> => {
  const { ids, name, after, limit } = query
  if (ids !== undefined) return sorted(ids).above(after)
  const keys = group(pets, query)
  if (name === undefined) return keys.above(after)
  // Sorting all that have the name, or walking the group until enough of them have it: whatever is fewer steps.
  const named = pets.indexes.name.countStartingWith(name)
  const sort = named * named <= keys.size * limit
  return (sort ? sorted(pets.indexes.name.startingWith(name)) : keys).above(after)
}

/** The pets of a store. */
export const memoryPets = (connection: MemoryConnection): PetRows => {
  const { categories, pets } = connection.database

  const problemOf = (pet: Omit<PetRecord, "id">): string | undefined => {
    const broken = brokenPetRule(pet)
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
    list: (query) => connection.read(() => pets.page(candidates(pets, query), query.limit, matchesPet(query))),
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
