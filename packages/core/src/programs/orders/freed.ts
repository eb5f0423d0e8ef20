import type { InsufficientStock } from "../../domain/orders/OrderErrors.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { Again, type Command, fail } from "../../kernel/Command.ts"
import { overdueOrdersOf } from "../../tables/index.ts"
import type { Call } from "../Call.ts"

/** Orders that one transaction expires. */
export const expiredAtOnce = 100

/** Orders that were overdue at a time. */
export interface Overdue {
  readonly ids: ReadonlyArray<number>
  readonly now: string
}

/**
 * Ends a use case that is short of units. If overdue orders hold some, those expire in a transaction of their own, because that locks orders
 * before their pets, and the use case starts anew. `except`: the order that it changes itself.
 */
export function* freed<E extends InsufficientStock>(call: Call, error: E, except?: number): Command<never, E> {
  const { petId } = error.details
  const now = formatTimestamp(call.storeMillis())
  const overdue = yield* call.tx.all(overdueOrdersOf, { petId, now }, expiredAtOnce)
  const ids = overdue.flatMap(({ id }) => (id === except ? [] : [id]))
  return yield* ids.length > 0 ? new Again(error, { ids, now }) : fail(error)
}
