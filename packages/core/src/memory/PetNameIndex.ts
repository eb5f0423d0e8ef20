import { compareByNameAndId } from "../adapter-toolkit/petQueries.ts"
import { type PetStatus, statusOf } from "../domain/Stock.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { MemoryIndex } from "./MemoryIndex.ts"
import { SortedKeys } from "./SortedKeys.ts"

/** What a pet is sorted by. */
export type NamedPet = Pick<PetRecord, "id" | "name">

/** The name of the group of pets of a status, of a category, of both, or of all of them. */
const groupName = (status: PetStatus | undefined, categoryId: number | undefined): string =>
  `${status ?? "any"} ${categoryId ?? "any"}`

/** A pet belongs to one group for each combination of filters. */
const groupNames = ({ categoryId, stock }: PetRecord) => {
  const status = statusOf(stock)
  return [
    groupName(undefined, undefined),
    groupName(status, undefined),
    groupName(undefined, categoryId),
    groupName(status, categoryId)
  ] as const
}

const stays = (before: PetRecord, after: PetRecord): boolean =>
  before.deleted === after.deleted &&
  before.name === after.name &&
  before.categoryId === after.categoryId &&
  statusOf(before.stock) === statusOf(after.stock)

/** The live pets in the order of their names, for each combination of filters. */
export class PetNameIndex implements MemoryIndex<number, PetRecord> {
  private readonly groups = new Map<string, SortedKeys<NamedPet>>()

  /** The pets of a status and a category, or of any. */
  group(status: PetStatus | undefined, categoryId: number | undefined): SortedKeys<NamedPet> {
    return this.groups.get(groupName(status, categoryId)) ?? new SortedKeys(compareByNameAndId)
  }

  get size(): number {
    let entries = 0
    for (const group of this.groups.values()) entries += group.size
    return entries / 4
  }

  move(_id: number, before: PetRecord | undefined, after: PetRecord | undefined): void {
    if (before !== undefined && after !== undefined && stays(before, after)) return
    if (before !== undefined && this.covers(before)) this.leave(before)
    if (after !== undefined && this.covers(after)) this.join(after)
  }

  covers(pet: PetRecord): boolean {
    return !pet.deleted
  }

  agrees(_id: number, pet: PetRecord): boolean {
    return !this.covers(pet) || groupNames(pet).every((name) => this.groups.get(name)?.has(pet) === true)
  }

  private join(pet: PetRecord): void {
    const { id, name } = pet
    for (const groupName of groupNames(pet)) {
      const group = this.groups.get(groupName) ?? new SortedKeys(compareByNameAndId)
      group.add({ id, name })
      this.groups.set(groupName, group)
    }
  }

  private leave(pet: PetRecord): void {
    for (const groupName of groupNames(pet)) {
      const group = this.groups.get(groupName)
      group?.remove(pet)
      if (group?.size === 0) this.groups.delete(groupName)
    }
  }
}
