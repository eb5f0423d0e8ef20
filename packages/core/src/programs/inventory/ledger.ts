import { type NewEvent, newEvent } from "../../domain/events/Event.ts"
import { sameInventory, toInventoryItem } from "../../domain/inventory/InventoryItem.ts"
import { hasDetails, type Movement, reasonOf } from "../../domain/inventory/Movement.ts"
import { type PetStatus, type StockChange, statusOf } from "../../domain/inventory/Stock.ts"
import { detailsOf, type PetDetails, sameDetails, toPet } from "../../domain/pets/Pet.ts"
import { ledger, pets } from "../../tables/index.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { Call } from "../Call.ts"

/** A pet after a change of its stock, and the events to record. */
interface RecordedStock {
  readonly pet: PetRecord
  readonly events: ReadonlyArray<NewEvent>
}

/** The events of a change of a pet that had another stock, and this status, before. */
const stockEvents = (pet: PetRecord, previous: PetStatus, { movements }: StockChange): ReadonlyArray<NewEvent> => {
  const { id, stock, stockVersion, version } = pet
  const last = movements.at(-1)
  const reason = last && reasonOf(last.kind)
  const item = { ...toInventoryItem(id, stock), held: stock.held, version: stockVersion }
  const updated = newEvent("inventory.updated", reason === undefined ? item : { ...item, reason })
  if (previous === item.status) return [updated]
  return [updated, newEvent("pet.status_changed", { ...toPet(pet, stock), version, previous })]
}

/** The movements of a change, as they follow in the ledger of a pet. */
export const movementsOf = (
  { actor }: Call,
  at: string,
  petId: number,
  lastMovement: number,
  change: StockChange,
  orderId?: number
): ReadonlyArray<Movement> =>
  change.movements.map((movement, index) => {
    const seq = lastMovement + 1 + index
    if (hasDetails(movement)) return { petId, seq, ...movement, actor, at }
    const { deltaOnHand, deltaReserved, kind } = movement
    return orderId === undefined
      ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
      : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
  })

interface StockCause {
  /** Other details, if they change too. */
  readonly details?: PetDetails
  /** The order that the change is for. */
  readonly orderId?: number
}

/** Saves a locked pet with a change of its stock, and adds that to the ledger. */
export const saveStock = (
  call: Call,
  at: string,
  pet: PetRecord,
  change: StockChange,
  cause?: StockCause
): RecordedStock => {
  const { movements, ...recorded } = savePet(call, at, pet, change, cause)
  call.tx.append(ledger, movements)
  return recorded
}

/** Saves a locked pet with a change of its stock. Returns the movements, for the ledger. */
export const savePet = (
  call: Call,
  at: string,
  pet: PetRecord,
  change: StockChange,
  { details = pet, orderId }: StockCause = {}
): RecordedStock & { readonly movements: ReadonlyArray<Movement> } => {
  const edited = details !== pet && !sameDetails(details, pet)
  const previous = statusOf(pet.stock)
  const moved = change.movements.length > 0
  if (!edited && !moved) return { pet, events: [], movements: [] }
  const looksNew = edited || previous !== statusOf(change.stock)
  const after: PetRecord = {
    ...(edited ? { ...pet, ...detailsOf(details) } : pet),
    version: pet.version + (looksNew ? 1 : 0),
    updatedAt: looksNew ? at : pet.updatedAt,
    stock: change.stock,
    stockVersion: pet.stockVersion + (sameInventory(pet.stock, change.stock) ? 0 : 1),
    lastMovement: pet.lastMovement + change.movements.length
  }
  call.tx.save(pets, after)
  return {
    pet: after,
    events: moved ? stockEvents(after, previous, change) : [],
    movements: movementsOf(call, at, pet.id, pet.lastMovement, change, orderId)
  }
}
