import type {
  AffectedPet,
  ProposedCancellation,
  ProposedOrder,
  ProposedPet,
  ProposedStatus
} from "@petstore/core/domain"
import { aStock } from "./builders.ts"

/** Freezes a value with everything in it, and returns it. */
const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

const proposal = frozen({ actor: "owner", at: "2030-01-01T00:00:00.000Z" })

const category = frozen({ id: 1, name: "Dogs" })

/**
 * A pet as custom rules receive it: one free unit, of the category Dogs. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { anAffectedPet } from "@petstore/testing"
 *
 * anAffectedPet({ category: { id: 2, name: "Reptiles" } }).category.name // => "Reptiles"
 * ```
 */
export const anAffectedPet = (fields: Partial<AffectedPet> = {}): AffectedPet =>
  frozen({
    id: 1,
    name: "Rex",
    category,
    stock: aStock(),
    stockAfter: aStock(),
    ...fields
  })

/**
 * What a rule for new pets receives. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aProposedPet } from "@petstore/testing"
 *
 * aProposedPet({ name: "Tom" }).pet // => {"name": "Tom", "status": "available", "category": {"id": 1, "name": "Dogs"}}
 * ```
 */
export const aProposedPet = (pet: Partial<ProposedPet["pet"]> = {}): ProposedPet =>
  frozen({
    ...proposal,
    pet: { name: "Rex", status: "available", category, ...pet }
  })

/**
 * What a rule for status changes receives: a pet that is being put on hold. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aProposedStatus } from "@petstore/testing"
 *
 * aProposedStatus({ to: "sold" }).from // => "available"
 * ```
 */
export const aProposedStatus = (fields: Partial<ProposedStatus> = {}): ProposedStatus =>
  frozen({
    ...proposal,
    pet: anAffectedPet({ stockAfter: aStock({ held: true }) }),
    from: "available",
    to: "pending",
    ...fields
  })

/**
 * What a rule for orders receives: an order of one unit that is being placed. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { refusal, type Rule, type ProposedOrder } from "@petstore/core"
 * import { aProposedOrder } from "@petstore/testing"
 *
 * class AtMostTwo extends refusal("at_most_two", () => "Order at most two.") {}
 * const atMostTwo: Rule<ProposedOrder> = ({ order }) => ((order.quantity ?? 1) > 2 ? new AtMostTwo({}) : undefined)
 *
 * const order = { state: "open", petId: 1, quantity: 3 } as const
 * atMostTwo(aProposedOrder({ order }))?.code // => "at_most_two"
 * ```
 */
export const aProposedOrder = (fields: Partial<ProposedOrder> = {}): ProposedOrder =>
  frozen({
    ...proposal,
    order: { state: "open", petId: 1, quantity: 1 },
    facts: ["placed"],
    pet: anAffectedPet({ stockAfter: aStock({ reserved: 1 }) }),
    ...fields
  })

/**
 * What a rule for cancellations receives: an open order of one unit. Pass only the fields that the test is about.
 *
 * @example
 * ```ts
 * import { aProposedCancellation } from "@petstore/testing"
 *
 * aProposedCancellation().order.state // => "open"
 * ```
 */
export const aProposedCancellation = (fields: Partial<ProposedCancellation> = {}): ProposedCancellation =>
  frozen({
    ...proposal,
    orderId: 1,
    order: { state: "open", petId: 1, quantity: 1 },
    pet: anAffectedPet({ stock: aStock({ reserved: 1 }) }),
    ...fields
  })
