import type { Category } from "../../domain/categories/Category.ts"
import { atIndex } from "../../domain/errors/PetstoreError.ts"
import { type NewEvent, newEvent } from "../../domain/events/Event.ts"
import { toInventoryItem } from "../../domain/inventory/InventoryItem.ts"
import type { Movement } from "../../domain/inventory/Movement.ts"
import * as Stock from "../../domain/inventory/Stock.ts"
import { detailsOf, type NewPet, type Pet, toPet } from "../../domain/pets/Pet.ts"
import { UnknownCategory } from "../../domain/pets/PetErrors.ts"
import { type Command, fail, mapFailure } from "../../kernel/Command.ts"
import { categories, ledger, pets } from "../../tables/index.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { Call } from "../Call.ts"
import { checkNewPet, type Refused } from "../hostRules.ts"
import { movementsOf } from "../inventory/ledger.ts"

/** The row of a new pet with its initial stock. */
export const newPetRow = (
  input: NewPet,
  { movements, stock }: Stock.StockChange,
  at: string
): Omit<PetRecord, "id"> => ({
  ...detailsOf(input),
  version: 1,
  stock,
  stockVersion: 1,
  lastMovement: movements.length,
  createdAt: at,
  updatedAt: at,
  deleted: false
})

function* lockCategories({ tx }: Call, inputs: ReadonlyArray<NewPet>) {
  const byId = new Map<number, Category>()
  const ids = new Set(inputs.map(({ categoryId }) => categoryId))
  for (const categoryId of [...ids].sort((a, b) => a - b)) {
    const record = yield* tx.lockShared(categories, categoryId)
    if (record !== undefined) byId.set(categoryId, record.category)
  }
  for (const [index, { categoryId }] of inputs.entries()) {
    if (!byId.has(categoryId)) return yield* fail(atIndex(new UnknownCategory({ categoryId }), index))
  }
  return byId
}

/**
 * Adds pets and writes what {@link create} writes for each, with each category looked up once and a statement for many rows. Fails with
 * the index of the pet that is rejected.
 */
export function* createAll(
  call: Call,
  inputs: ReadonlyArray<NewPet>
): Command<ReadonlyArray<Pet>, UnknownCategory | Refused> {
  const { tx } = call
  const categoryById = yield* lockCategories(call, inputs)
  const at = call.now()
  if (call.rules.newPet !== undefined) {
    for (const [index, input] of inputs.entries()) {
      const category = categoryById.get(input.categoryId)
      const toError = (error: Refused): Refused => atIndex(error, index)
      if (category !== undefined) yield* mapFailure(checkNewPet(call, at, input, category), toError)
    }
  }
  const changes = new Map<NewPet["status"], Stock.StockChange>()
  const changeOf = ({ status }: NewPet): Stock.StockChange => {
    const change = changes.get(status) ?? Stock.initial(status)
    changes.set(status, change)
    return change
  }
  const rows = inputs.map((input) => {
    const row = newPetRow(input, changeOf(input), at)
    return (id: number) => ({ id, ...row })
  })
  const created = yield* tx.insertAll(pets, rows)
  const moved: Array<Movement> = []
  const events: Array<NewEvent> = []
  for (const [index, { id: petId }] of created.entries()) {
    const input = inputs[index] as NewPet
    const change = changeOf(input)
    const { stock } = change
    moved.push(...movementsOf(call, at, petId, 0, change))
    events.push(
      newEvent("pet.created", { id: petId, ...detailsOf(input), status: Stock.statusOf(stock), version: 1 }),
      newEvent("inventory.updated", { ...toInventoryItem(petId, stock), held: stock.held, version: 1 })
    )
  }
  tx.append(ledger, moved)
  call.record(at, events)
  return created.map((pet) => toPet(pet, pet.stock))
}
