import { statusOf } from "../domain/Stock.ts"
import type { PetQuery, PetRecord } from "../ports/PetRows.ts"

/** Whether a pet is live and has the status, category and name that are asked for; `ids`, `after`, `afterName` and `limit` are ignored. */
export const matchesPet =
  ({ categoryId, name, status }: PetQuery) =>
  (pet: PetRecord): boolean =>
    !pet.deleted &&
    (status === undefined || statusOf(pet.stock) === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (name === undefined || pet.name.startsWith(name))
