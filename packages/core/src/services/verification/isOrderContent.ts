import type { OrderContent } from "../../domain/Order.ts"

const hasFieldsOfState = ({ petId, quantity, shipDate, state }: OrderContent): boolean => {
  switch (state) {
    case "draft":
      return petId === undefined
    case "open":
      return petId !== undefined && quantity !== undefined
    case "complete":
      return petId !== undefined && quantity !== undefined && shipDate !== undefined
    case "cancelled":
      return petId === undefined || quantity !== undefined
    default:
      return false
  }
}

/** Whether an order has what belongs to its state. */
export const isOrderContent = (order: OrderContent): boolean =>
  hasFieldsOfState(order) && (order.quantity === undefined || order.quantity >= 1)
