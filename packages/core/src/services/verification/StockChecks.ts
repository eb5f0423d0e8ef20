import { limits } from "../../domain/limits.ts"
import { type PetStatus, type Stock, statusOf } from "../../domain/Stock.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import { Check } from "./Check.ts"

/** Whether no more units are promised than there are, and none are missing. */
export const inBounds = ({ onHand, reserved }: Pick<Stock, "onHand" | "reserved">): boolean =>
  0 <= reserved && reserved <= onHand && onHand <= limits.stock

/** The rules of pets and their stock, each on the pet's own row. */
export class StockChecks {
  readonly bounds = new Check(
    "stock_in_bounds",
    "A pet has at least as many units on hand as are reserved, neither is below zero, and only a pet with units on hand is held."
  )
  readonly empty = new Check("deleted_pets_empty", "A deleted pet has no stock.")
  readonly listed = new Check(
    "one_status",
    "A pet is listed under the one status that its stock gives, a deleted one under none."
  )
  readonly all = [this.bounds, this.listed, this.empty]
  private readonly statuses = new Map<number, PetStatus | "several">()

  /** Counts a pet that is listed under a status. Call it for all of them before {@link addPet}. */
  addListed(petId: number, status: PetStatus): void {
    this.statuses.set(petId, this.statuses.has(petId) ? "several" : status)
  }

  addPet(pet: PetRecord): void {
    const { deleted, id: petId, stock } = pet
    const { held, onHand, reserved } = stock
    this.bounds.expect(inBounds(stock) && (!held || onHand > 0), () => ({ petId, onHand, reserved, held }))
    if (deleted) this.empty.expect(onHand === 0 && reserved === 0 && !held, () => ({ petId, onHand, reserved, held }))

    const status = deleted ? undefined : statusOf(stock)
    this.listed.agree({ petId }, { listed: this.statuses.get(petId) }, { listed: status })
    this.statuses.delete(petId)
  }

  /** Call it when every pet of a bucket was added. */
  finish(): void {
    for (const [petId, listed] of this.statuses) this.listed.expect(false, () => ({ petId, listed }))
    this.statuses.clear()
  }
}
