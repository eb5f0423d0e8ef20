import { limits } from "../domain/limits.ts"
import { type MessageRecord, stateProblem } from "../domain/MessageState.ts"
import { fieldProblem, type OrderContent } from "../domain/Order.ts"
import type { PetRecord } from "../ports/PetRows.ts"

/** The constraint on the columns of a pet that this row violates, in words; undefined if it violates none. */
export const violatedPetConstraint = ({ stock, deleted }: Pick<PetRecord, "stock" | "deleted">): string | undefined => {
  const { onHand, reserved, held } = stock
  const sound = 0 <= reserved && reserved <= onHand && onHand <= limits.stock && (!held || onHand > 0)
  if (!sound) return `The stock of a pet cannot be ${JSON.stringify(stock)}`
  return deleted && onHand > 0 ? "A deleted pet has no stock" : undefined
}

/** The constraint on the columns of a message that this row violates, in words; undefined if it violates none. */
export const violatedMessageConstraint: (message: MessageRecord) => string | undefined = stateProblem

/** The constraint on the columns of an order that this row violates, in words; undefined if it violates none. */
export const violatedOrderConstraint: (order: OrderContent) => string | undefined = fieldProblem
