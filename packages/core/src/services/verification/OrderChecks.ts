import { type OrderState, orderStates } from "../../domain/OrderState.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import { Check } from "./Check.ts"
import { isOrderContent } from "./isOrderContent.ts"

/** What an order means for its pet. */
export interface OrderOfPet {
  readonly orderId: number
  readonly petId: number
  readonly state: OrderState
  readonly quantity: number
}

/** The rules of orders, each on its own row, and of the units that open ones hold. */
export class OrderChecks {
  readonly contents = new Check(
    "order_contents",
    "A draft has no pet; an open order has a pet and a quantity of 1 or more; a complete one has a ship date too."
  )
  readonly pets = new Check(
    "order_pets",
    "The pet of an order exists, and is not deleted while the order is open, nor was it when the order was placed or changed."
  )
  readonly reserved = new Check(
    "reserved_for_open_orders",
    "The reserved units of a pet are the units of its open orders, no more and no less."
  )
  readonly all = [this.contents, this.pets, this.reserved]
  private readonly openUnits = new Map<number, number>()

  /** Counts an order. */
  addOrder({ id: orderId, order }: OrderRecord): void {
    this.contents.expect(isOrderContent(order), () => ({ orderId, ...order }))
  }

  /** Counts the order of a pet. Call it for all of them before {@link addPet}. */
  addOrderOf({ orderId, petId, quantity, state }: OrderOfPet, pet: PetRecord | undefined): void {
    const holdsUnits = orderStates[state]?.units === "reserved"
    this.pets.expect(pet !== undefined && !(pet.deleted && holdsUnits), () => ({ orderId, petId, state }))
    if (holdsUnits) this.openUnits.set(petId, (this.openUnits.get(petId) ?? 0) + quantity)
  }

  addPet({ id: petId, stock }: PetRecord): void {
    this.reserved.agree({ petId }, { reserved: stock.reserved }, { reserved: this.openUnits.get(petId) ?? 0 })
  }

  /** Call it when every pet of a bucket was added. */
  finish(): void {
    this.openUnits.clear()
  }
}
