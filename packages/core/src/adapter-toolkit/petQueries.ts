import { statusOf } from "../domain/Stock.ts"
import type { PetQuery, PetRecord } from "../ports/PetRows.ts"

/**
 * Compares texts by code points, as UTF-8 and SQLite do. The operator `<` compares code units, which puts characters
 * above U+FFFF before some below it.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left === right) continue
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1
  }
  return a.length - b.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** What the order of pets in lists depends on. */
type Place = Pick<PetRecord, "id" | "name">

/** Orders pets by name, then by id. */
const compareByNameAndId = (a: Place, b: Place): number => compareCodePoints(a.name, b.name) || a.id - b.id

/** The order of pets in a list with this query. */
export const comparePets = ({ name }: PetQuery): ((a: Place, b: Place) => number) =>
  name === undefined ? (a, b) => a.id - b.id : compareByNameAndId

/** Whether a pet comes after the position where the page of this query begins. */
export const isAfterCursor = (query: PetQuery): ((pet: Place) => boolean) => {
  const { after, afterName } = query
  if (query.name === undefined) return ({ id }) => id > after
  if (afterName === undefined) return () => true
  return (pet) => compareByNameAndId(pet, { id: after, name: afterName }) > 0
}

/** Whether a pet is live and matches `status`, `categoryId` and `name` of a query. `ids`, `after`, `afterName` and `limit` are ignored. */
export const matchesPetQuery =
  ({ categoryId, name, status }: PetQuery) =>
  (pet: PetRecord): boolean =>
    !pet.deleted &&
    (status === undefined || statusOf(pet.stock) === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (name === undefined || pet.name.startsWith(name))
