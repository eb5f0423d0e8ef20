import { ownerOf } from "../../domain/access/Principal.ts"
import { mostCounted, OwnerHoldings } from "../../domain/orders/OrderLimits.ts"
import type { Command } from "../../kernel/Command.ts"
import { categories, draftsOf, openOrdersOf } from "../../tables/index.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { Call } from "../Call.ts"

/**
 * Reads what an owner of orders holds, so that nobody else adds to it until the transaction ends; undefined if the store does not
 * limit this caller. They are counted here, not kept in a row for each owner, which every command that ends an order would have to lock. Comes behind all other locks of a command: those of the pets, and of their categories if rules look at them.
 */
export function* lockHoldings(
  { principal, rules, tx }: Call,
  owner: string | undefined,
  pets: Iterable<PetRecord>
): Command<OwnerHoldings | undefined> {
  const { order, orderLimits } = rules
  if (orderLimits === undefined || owner === undefined) return undefined
  const isLimited = orderLimits.of === "customers" ? principal.ownOnly === true : ownerOf(principal) !== undefined
  if (!isLimited) return undefined
  if (order !== undefined) {
    for (const id of new Set([...pets].map(({ categoryId }) => categoryId).sort((a, b) => a - b))) {
      yield* tx.lockShared(categories, id)
    }
  }
  const open = yield* tx.all(openOrdersOf, owner, mostCounted + 1)
  const drafts = yield* tx.all(draftsOf, owner, mostCounted + 1)
  return new OwnerHoldings(
    orderLimits,
    [...open, ...drafts].map((record) => record.order)
  )
}
