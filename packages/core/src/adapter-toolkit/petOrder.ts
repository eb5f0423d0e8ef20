import type { PetQuery, PetRecord } from "../ports/PetRows.ts"

/**
 * Compares texts by code points, as UTF-8 and SQLite do. The operator `<` compares code units, which puts characters
 * outside the basic plane before some inside it.
 */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)]
    if (left === right) continue
    const isAstral = [left, right].map((unit) => unit >= 0xd800 && unit <= 0xdfff)
    return isAstral[0] === isAstral[1] ? left - right : isAstral[0] ? 1 : -1
  }
  return a.length - b.length
}

/** What decides the place of a pet in a list. */
type Place = Pick<PetRecord, "id" | "name">

/** Orders pets by name, then by id. */
export const byNameAndId = (a: Place, b: Place): number => compareText(a.name, b.name) || a.id - b.id

/** Orders pets as a list with this query does. */
export const petOrder = ({ name }: PetQuery): ((a: Place, b: Place) => number) =>
  name === undefined ? (a, b) => a.id - b.id : byNameAndId

/** Whether a pet comes behind the place where the page of this query begins. */
export const isBehind = (query: PetQuery): ((pet: Place) => boolean) => {
  const { after, afterName } = query
  if (query.name === undefined) return ({ id }) => id > after
  if (afterName === undefined) return () => true
  return (pet) => byNameAndId(pet, { id: after, name: afterName }) > 0
}
