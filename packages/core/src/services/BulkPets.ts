import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Category } from "../domain/Category.ts"
import { type NewEvent, newEvent } from "../domain/Event.ts"
import { UnknownCategory } from "../domain/errors/PetErrors.ts"
import { toInventoryItem } from "../domain/InventoryItem.ts"
import type { Movement } from "../domain/Movement.ts"
import { detailsOf, type NewPet } from "../domain/Pet.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import * as Stock from "../domain/Stock.ts"
import { type Command, fail } from "../engine/Command.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { categories, ledger, pets } from "../tables/index.ts"
import type { Call } from "./Call.ts"
import { Commands } from "./Commands.ts"
import { checkNewPet, type Refused } from "./hostRules.ts"
import { newPetRow } from "./newPetRow.ts"

/** Creates many pets at a lower cost than one by one, for imports. */
export class BulkPets extends Context.Service<
  BulkPets,
  {
    /**
     * Creates pets in one transaction: all of them, or none if one is rejected. Writes what `pets.create` writes for each, with
     * each category looked up once and a statement for many rows. Inputs must be decoded already. Returns the new ids in the
     * order of the pets.
     */
    readonly create: (
      pets: ReadonlyArray<NewPet>
    ) => Effect.Effect<ReadonlyArray<number>, UnknownCategory | RuleRefusal | StorageError>
  }
>()("@petstore/core/services/BulkPets") {
  static readonly layer = Layer.effect(
    BulkPets,
    Effect.gen(function* () {
      const { run } = yield* Commands
      return { create: (inputs) => run("pets.create", (call) => createAll(call, inputs)) }
    })
  )
}

function* lockCategories({ tx }: Call, inputs: ReadonlyArray<NewPet>) {
  const found = new Map<number, Category>()
  const ids = new Set(inputs.map(({ categoryId }) => categoryId))
  for (const categoryId of [...ids].sort((a, b) => a - b)) {
    const record = yield* tx.lockShared(categories, categoryId)
    if (record === undefined) return yield* fail(new UnknownCategory({ categoryId }))
    found.set(categoryId, record.category)
  }
  return found
}

function* createAll(
  call: Call,
  inputs: ReadonlyArray<NewPet>
): Command<ReadonlyArray<number>, UnknownCategory | Refused> {
  const { actor, tx } = call
  const found = yield* lockCategories(call, inputs)
  const at = call.now()
  if (call.rules.newPet !== undefined) {
    for (const input of inputs) {
      const category = found.get(input.categoryId)
      if (category !== undefined) yield* checkNewPet(call, at, input, category)
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
    const { movements: own, stock } = changeOf(input)
    for (const [place, { deltaOnHand, deltaReserved, kind }] of own.entries()) {
      moved.push({ petId, seq: place + 1, kind, deltaOnHand, deltaReserved, actor, at })
    }
    events.push(
      newEvent("pet.created", { id: petId, ...detailsOf(input), status: Stock.statusOf(stock), version: 1 }),
      newEvent("inventory.updated", { ...toInventoryItem(petId, stock), held: stock.held, version: 1 })
    )
  }
  tx.append(ledger, moved)
  call.record(at, events)
  return created.map(({ id }) => id)
}
