import { type NewEvent, newEvent } from "../domain/Event.ts"
import { sameInventory, toInventoryItem } from "../domain/InventoryItem.ts"
import { detailsOf, type PetDetails, sameDetails, toPet } from "../domain/Pet.ts"
import { type StockChange, statusOf } from "../domain/Stock.ts"
import type { PetRecord } from "../tables/catalogue.ts"
import { ledger, pets } from "../tables/index.ts"
import type { Call } from "./Call.ts"

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

/** Appends the movements of a change to the ledger of a pet. */
export const appendMovements = (
  { actor, tx }: Call,
  at: string,
  petId: number,
  lastMovement: number,
  change: StockChange,
  orderId?: number
): void =>
  tx.append(
    ledger,
    change.movements.map(({ kind, deltaOnHand, deltaReserved }, index) => {
      const seq = lastMovement + 1 + index
      return orderId === undefined
        ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
        : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
    })
  )

/** Saves a locked pet with a change of its stock, of an order if for one, and with other details if they change too. */
export const saveStock = (
  call: Call,
  at: string,
  pet: PetRecord,
  change: StockChange,
  { details = pet, orderId }: { readonly details?: PetDetails; readonly orderId?: number } = {}
): RecordedStock => {
  const edited = details !== pet && !sameDetails(details, pet)
  const statusChanged = statusOf(pet.stock) !== statusOf(change.stock)
  const moved = change.movements.length > 0
  if (!edited && !moved) return { pet, events: [] }
  const looksNew = edited || statusChanged
  const after: PetRecord = {
    ...(edited ? { ...pet, ...detailsOf(details) } : pet),
    version: pet.version + (looksNew ? 1 : 0),
    updatedAt: looksNew ? at : pet.updatedAt,
    stock: change.stock,
    stockVersion: pet.stockVersion + (sameInventory(pet.stock, change.stock) ? 0 : 1),
    lastMovement: pet.lastMovement + change.movements.length
  }
  appendMovements(call, at, pet.id, pet.lastMovement, change, orderId)
  call.tx.save(pets, after)
  return { pet: after, events: moved ? stockEvents(pet, after) : [] }
}
