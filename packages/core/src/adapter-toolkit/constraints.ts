import { limits } from "../domain/limits.ts"
import { fieldProblem, type OrderContent } from "../domain/Order.ts"
import type { PetRecord } from "../ports/PetRows.ts"

/** Why a pet must not be stored, in words: for engines that have no constraints of their own. Undefined where it may be. */
export const violatedPetConstraint = ({ stock, deleted }: Pick<PetRecord, "stock" | "deleted">): string | undefined => {
  const { onHand, reserved, held } = stock
  const sound = 0 <= reserved && reserved <= onHand && onHand <= limits.stock && (!held || onHand > 0)
  if (!sound) return `The stock of a pet cannot be ${JSON.stringify(stock)}`
  return deleted && onHand > 0 ? "A deleted pet has no stock" : undefined
}

/** Why an order must not be stored, in words: for engines that have no constraints of their own. Undefined where it may be. */
export const violatedOrderConstraint: (order: OrderContent) => string | undefined = fieldProblem
