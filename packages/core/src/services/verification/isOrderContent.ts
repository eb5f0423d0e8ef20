import { fieldProblem, type OrderContent } from "../../domain/Order.ts"

/** Whether an order has the fields of its state, and a quantity if it has a pet. */
export const isOrderContent = (order: OrderContent): boolean =>
  fieldProblem(order) === undefined &&
  (order.petId === undefined || order.quantity !== undefined) &&
  (order.quantity === undefined || order.quantity >= 1)
