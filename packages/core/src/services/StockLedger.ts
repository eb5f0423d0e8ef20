import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type NewEvent, newEvent } from "../domain/Event.ts"
import { sameInventory, toInventoryItem } from "../domain/InventoryItem.ts"
import { detailsOf, type PetDetails, sameDetails, toPet } from "../domain/Pet.ts"
import { type StockChange, statusOf } from "../domain/Stock.ts"
import { immediateRows } from "../ports/immediateRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { eachOf } from "./eachOf.ts"

/** When and by whom stock is changed, and for which order, if for one. */
export interface StockCause {
  readonly at: string
  readonly actor: string
  readonly orderId?: number
}

/** A pet after a change of its stock, and the events to record. */
export interface RecordedStock {
  readonly pet: PetRecord
  readonly events: ReadonlyArray<NewEvent>
}

/** The events of a change from one state of a pet to another. */
const stockEvents = (before: PetRecord, after: PetRecord): ReadonlyArray<NewEvent> => {
  const previous = statusOf(before.stock)
  const updated = newEvent("inventory.updated", {
    ...toInventoryItem(after.id, after.stock),
    held: after.stock.held,
    version: after.stockVersion
  })
  if (previous === statusOf(after.stock)) return [updated]
  const data = { ...toPet(after, after.stock), version: after.version, previous }
  return [updated, newEvent("pet.status_changed", data)]
}

/** Writes changes of stock: the ledger entries, the new state with its versions, and what events to record. */
export class StockLedger extends Context.Service<
  StockLedger,
  {
    /** Appends the movements of a change to the ledger of a pet whose row is about to be, or is, saved elsewhere. */
    readonly append: (
      petId: number,
      lastMovement: number,
      change: StockChange,
      cause: StockCause
    ) => Effect.Effect<void, StorageError, Transaction>
    /** Saves a locked pet with a change of its stock, and with other details if they change too. */
    readonly apply: (
      pet: PetRecord,
      change: StockChange,
      cause: StockCause,
      details?: PetDetails
    ) => Effect.Effect<RecordedStock, StorageError, Transaction>
  }
>()("@petstore/core/services/StockLedger") {
  static readonly layer = Layer.effect(
    StockLedger,
    Effect.gen(function* () {
      const { movements, pets } = immediateRows(yield* Storage)

      const append: StockLedger["Service"]["append"] = (petId, lastMovement, change, { actor, at, orderId }) =>
        eachOf(change.movements, ({ kind, deltaOnHand, deltaReserved }, index) => {
          const seq = lastMovement + 1 + index
          return movements.append(
            orderId === undefined
              ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
              : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
          )
        })

      const apply: StockLedger["Service"]["apply"] = (pet, change, cause, details = pet) => {
        const edited = details !== pet && !sameDetails(details, pet)
        const statusChanged = statusOf(pet.stock) !== statusOf(change.stock)
        const moved = change.movements.length > 0
        if (!edited && !moved) return Exit.succeed({ pet, events: [] })
        const after: PetRecord = {
          ...(edited ? { ...pet, ...detailsOf(details) } : pet),
          version: pet.version + (edited || statusChanged ? 1 : 0),
          stock: change.stock,
          stockVersion: pet.stockVersion + (sameInventory(pet.stock, change.stock) ? 0 : 1),
          lastMovement: pet.lastMovement + change.movements.length
        }
        return Effect.flatMapEager(append(pet.id, pet.lastMovement, change, cause), () =>
          Effect.mapEager(edited || statusChanged ? pets.save(after) : pets.saveStock(after), () => ({
            pet: after,
            events: moved ? stockEvents(pet, after) : []
          }))
        )
      }

      return { append, apply }
    })
  )
}
