import type { Category } from "../categories/Category.ts"
import type { PetStatus, Stock } from "../inventory/Stock.ts"
import type { OrderContent } from "../orders/Order.ts"
import type { Holdings } from "../orders/OrderLimits.ts"
import type { OrderFact } from "../orders/OrderState.ts"
import type { RuleRefusal } from "./RuleRefusal.ts"

/** What every rule receives about a command. */
export interface Proposal {
  /** Who runs the command: the actor in the stock ledger; in-process, `owner` by default. */
  readonly actor: string
  /** The time of the command, in RFC 3339 and UTC. */
  readonly at: string
}

/** A pet to be created. */
export interface ProposedPet extends Proposal {
  readonly pet: {
    readonly name: string
    readonly status: PetStatus
    readonly category: Category
  }
}

/** A pet that a command is about. */
export interface AffectedPet {
  readonly id: number
  readonly name: string
  readonly category: Category
  /** Its current stock. */
  readonly stock: Stock
  /** As it will be if the command is allowed. */
  readonly stockAfter: Stock
}

/** A requested change of status. */
export interface ProposedStatus extends Proposal {
  /** With the new name and category, if the same command changes them. */
  readonly pet: AffectedPet
  readonly from: PetStatus
  readonly to: PetStatus
}

/** An order to be placed, changed or completed. */
export interface ProposedOrder extends Proposal {
  /** Absent while the order is placed. */
  readonly orderId?: number
  /** The order before the change; absent while it is placed. */
  readonly before?: OrderContent
  /** The order as it will be if the command is allowed. */
  readonly order: OrderContent
  /** What will happen to it, in this order: `placed`, `updated`, `completed`, or two of these. */
  readonly facts: ReadonlyArray<OrderFact>
  /** The pet of the order as it will be; absent for a draft. */
  readonly pet?: AffectedPet
  /** What the owner of the order holds without it, up to 1,000 orders of each kind; absent if `orderLimits` do not apply to the call. */
  readonly held?: Holdings
}

/** An order to be cancelled: not a {@link ProposedOrder}, because an order that breaks a rule must stay cancellable. */
export interface ProposedCancellation extends Proposal {
  readonly orderId: number
  /** The order before its cancellation. */
  readonly order: OrderContent
  /** Its pet; absent for a draft. */
  readonly pet?: AffectedPet
}

/**
 * A rule of your own: returns a refusal, or `undefined` to allow the command. It is a pure function, called inside the
 * transaction: it must return at once, and decide only by the proposal.
 */
export type Rule<Seen extends Proposal> = (proposal: Seen) => RuleRefusal | undefined

/** What each kind of rule receives. */
export interface Proposals {
  readonly newPet: ProposedPet
  readonly petStatus: ProposedStatus
  readonly order: ProposedOrder
  readonly cancellation: ProposedCancellation
}

/**
 * Rules of your own, called after those of the petstore itself and only if something would change. If several reject, the
 * first one wins.
 */
export type Rules = {
  readonly [Kind in keyof Proposals]?: Rule<Proposals[Kind]> | ReadonlyArray<Rule<Proposals[Kind]>> | undefined
}
