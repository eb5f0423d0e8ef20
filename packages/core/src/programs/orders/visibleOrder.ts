import { type PrincipalInfo, visibleOwner } from "../../domain/access/Principal.ts"
import { NotFound } from "../../domain/errors/RequestErrors.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import type { Reads } from "../../kernel/Transaction.ts"
import { type OrderRecord, orderOf, orders } from "../../tables/orderTable.ts"
import type { Call } from "../Call.ts"

interface Reader {
  readonly rows: Reads
  readonly principal: PrincipalInfo
}

/** Reads an order that exists for the caller. The store returns no other, so that one costs what none costs. */
export function* findVisible({ principal, rows }: Reader, id: number): Command<OrderRecord | undefined> {
  const owner = visibleOwner(principal)
  return owner === undefined ? yield* rows.find(orders, id) : yield* rows.first(orderOf, { id, owner })
}

/**
 * Fails unless the order exists for the caller. A change then locks none, so that the order of another takes the statements of one that
 * does not exist, and waits for nobody. An order keeps its owner.
 */
export function* requireVisible({ principal, tx }: Call, id: number): Command<void, NotFound> {
  if (visibleOwner(principal) === undefined) return
  if ((yield* findVisible({ principal, rows: tx }, id)) === undefined) yield* fail(NotFound.of("order", id))
}
