import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type NewEvent, newEvent } from "../domain/Event.ts"
import { UnknownCategory } from "../domain/errors/PetErrors.ts"
import { toInventoryItem } from "../domain/InventoryItem.ts"
import type { Movement } from "../domain/Movement.ts"
import { detailsOf, type NewPet } from "../domain/Pet.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import * as Stock from "../domain/Stock.ts"
import type { CategoryRecord } from "../ports/CategoryRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { HostRules } from "./HostRules.ts"
import { Journal } from "./Journal.ts"
import { newPetRow } from "./newPetRow.ts"
import { Principal } from "./Principal.ts"

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
      const { categories, movements, pets, transact } = yield* Storage
      const journal = yield* Journal
      const rules = yield* HostRules

      const lockCategories = Effect.fnUntraced(function* (inputs: ReadonlyArray<NewPet>) {
        const found = new Map<number, CategoryRecord["category"]>()
        const ids = new Set(inputs.map(({ categoryId }) => categoryId))
        for (const categoryId of [...ids].sort((a, b) => a - b)) {
          const record = yield* categories.lockShared(categoryId)
          if (record === undefined) return yield* new UnknownCategory({ categoryId })
          found.set(categoryId, record.category)
        }
        return found
      })

      const createAll = Effect.fnUntraced(function* (inputs: ReadonlyArray<NewPet>) {
        const found = yield* lockCategories(inputs)
        const { actor } = yield* Principal
        const at = yield* journal.now
        if (rules.newPet !== undefined) {
          for (const input of inputs) {
            const category = found.get(input.categoryId)
            if (category !== undefined) yield* rules.newPet(at, input, category)
          }
        }
        const changes = new Map<NewPet["status"], Stock.StockChange>()
        const changeOf = ({ status }: NewPet): Stock.StockChange => {
          const change = changes.get(status) ?? Stock.initial(status)
          changes.set(status, change)
          return change
        }
        const ids = yield* pets.insertAll(inputs.map((input) => newPetRow(input, changeOf(input))))
        const moved: Array<Movement> = []
        const events: Array<NewEvent> = []
        for (const [index, input] of inputs.entries()) {
          const petId = ids[index] ?? 0
          const { movements, stock } = changeOf(input)
          for (const [place, { deltaOnHand, deltaReserved, kind }] of movements.entries()) {
            moved.push({ petId, seq: place + 1, kind, deltaOnHand, deltaReserved, actor, at })
          }
          events.push(
            newEvent("pet.created", {
              id: petId,
              ...detailsOf(input),
              status: Stock.statusOf(stock),
              version: 1
            }),
            newEvent("inventory.updated", { ...toInventoryItem(petId, stock), held: stock.held, version: 1 })
          )
        }
        yield* movements.appendAll(moved)
        yield* journal.recordAll(at, events)
        return ids
      })

      return { create: (inputs) => transact(createAll(inputs), "pets.create") }
    })
  )
}
