import type { Category } from "../domain/categories/Category.ts"
import type { InternalError } from "../domain/errors/ServiceErrors.ts"
import { type PetStatus, type Stock, statusOf } from "../domain/inventory/Stock.ts"
import type { OrderContent, OrderDecision } from "../domain/orders/Order.ts"
import type { Holdings } from "../domain/orders/OrderLimits.ts"
import type { NewPet } from "../domain/pets/Pet.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import type { AffectedPet } from "../domain/rules/Rules.ts"
import { type Command, orFail } from "../kernel/Command.ts"
import { categories } from "../tables/index.ts"
import type { PetRecord } from "../tables/petTable.ts"
import type { Call } from "./Call.ts"

/** What the rules of the host application end a command with. */
export type Refused = RuleRefusal | InternalError

/** An order as it is stored, without its version. */
interface KnownOrder {
  readonly id: number
  readonly order: OrderContent
}

/** A pet as rules see it: a copy, because what they receive is frozen. Its category is locked, unless it is at hand. */
function* affected({ tx }: Call, pet: PetRecord, stockAfter: Stock, known?: Category): Command<AffectedPet> {
  const { categoryId, id, name, stock } = pet
  const category = known ?? (yield* tx.lockShared(categories, categoryId))?.category
  if (category === undefined) throw new Error(`Pet ${id} has no category`)
  return { id, name, category: { ...category }, stock: { ...stock }, stockAfter: { ...stockAfter } }
}

/** The pet of an order as it will be, locked; undefined for a draft. */
function* ofOrder(call: Call, pet: PetRecord | undefined, { stocks }: OrderDecision) {
  if (pet === undefined) return {}
  const stockAfter = stocks.find(({ petId }) => petId === pet.id)?.change.stock ?? pet.stock
  return { pet: yield* affected(call, pet, stockAfter) }
}

export function* checkNewPet(call: Call, at: string, pet: NewPet, category: Category): Command<void, Refused> {
  const { actor, rules } = call
  const { name, status = "available" } = pet
  if (rules.newPet === undefined) return
  yield* orFail(rules.newPet({ actor, at, pet: { name, status, category: { ...category } } }))
}

/** `pet` is the pet with the name and category it is about to get, `category` that category if it is locked already. */
export function* checkStatus(
  call: Call,
  at: string,
  pet: PetRecord,
  stockAfter: Stock,
  to: PetStatus,
  category?: Category
): Command<void, Refused> {
  const { actor, rules } = call
  if (rules.petStatus === undefined) return
  const seen = yield* affected(call, pet, stockAfter, category)
  yield* orFail(rules.petStatus({ actor, at, pet: seen, from: statusOf(pet.stock), to }))
}

export function* checkOrder(
  call: Call,
  at: string,
  decision: OrderDecision,
  pet: PetRecord | undefined,
  before?: KnownOrder,
  held?: Holdings
): Command<void, Refused> {
  const { actor, rules } = call
  if (rules.order === undefined) return
  const seen = { ...(yield* ofOrder(call, pet, decision)), ...(held === undefined ? {} : { held }) }
  const known = before === undefined ? {} : { orderId: before.id, before: { ...before.order } }
  const facts = [...decision.facts]
  yield* orFail(rules.order({ actor, at, ...seen, ...known, order: { ...decision.order }, facts }))
}

export function* checkCancellation(
  call: Call,
  at: string,
  decision: OrderDecision,
  pet: PetRecord | undefined,
  { id, order }: KnownOrder
): Command<void, Refused> {
  const { actor, rules } = call
  if (rules.cancellation === undefined) return
  const seen = yield* ofOrder(call, pet, decision)
  yield* orFail(rules.cancellation({ actor, at, ...seen, orderId: id, order: { ...order } }))
}
