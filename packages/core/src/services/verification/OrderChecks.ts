import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import { Check } from "./Check.ts"
import type { Rows } from "./readRows.ts"

const hasFieldsOfState = ({ petId, quantity, shipDate, state }: OrderRecord["order"]): boolean => {
  switch (state) {
    case "draft":
      return petId === undefined
    case "open":
      return petId !== undefined && quantity !== undefined
    case "complete":
      return petId !== undefined && quantity !== undefined && shipDate !== undefined
    case "cancelled":
      return petId === undefined || quantity !== undefined
  }
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

  /** Counts an order. Call it for all of them before {@link addPet}. */
  addOrder({ id: orderId, order }: OrderRecord, pets: Rows["pets"]): void {
    const { petId, quantity, state } = order
    this.contents.expect(hasFieldsOfState(order) && (quantity === undefined || quantity >= 1), () => ({
      orderId,
      ...order
    }))
    if (petId === undefined) return
    const pet = pets.get(petId)
    this.pets.expect(pet !== undefined && !(pet.deleted && state === "open"), () => ({ orderId, petId, state }))
    if (state === "open") this.openUnits.set(petId, (this.openUnits.get(petId) ?? 0) + (quantity ?? 0))
  }

  addPet({ id: petId, stock }: PetRecord): void {
    this.reserved.agree({ petId }, { reserved: stock.reserved }, { reserved: this.openUnits.get(petId) ?? 0 })
  }
}
