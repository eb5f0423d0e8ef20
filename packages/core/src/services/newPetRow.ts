import { detailsOf, type NewPet } from "../domain/Pet.ts"
import type { StockChange } from "../domain/Stock.ts"
import type { PetRecord } from "../tables/catalogue.ts"

/** The row of a new pet with its initial stock. */
export const newPetRow = (input: NewPet, { movements, stock }: StockChange, at: string): Omit<PetRecord, "id"> => ({
  ...detailsOf(input),
  version: 1,
  stock,
  stockVersion: 1,
  lastMovement: movements.length,
  createdAt: at,
  updatedAt: at,
  deleted: false
})
