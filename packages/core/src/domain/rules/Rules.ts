import type { Category } from "../Category.ts"
import type { OrderContent } from "../Order.ts"
import type { OrderFact } from "../OrderState.ts"
import type { PetStatus, Stock } from "../Stock.ts"
import type { RuleRefusal } from "./RuleRefusal.ts"

/** What every rule sees of a command. */
export interface Proposal {
  /** On whose behalf: the name in the stock ledger, `owner` in process where nobody says otherwise. */
  readonly actor: string
  /** When, as RFC 3339 in UTC. */
  readonly at: string
}

/** A pet that somebody wants to add. */
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
  /** As it is now. */
  readonly stock: Stock
  /** As it will be if the command is allowed. */
  readonly stockAfter: Stock
}

/** A status that somebody wants a pet to have. */
export interface ProposedStatus extends Proposal {
  /** With the name and the category that the same command gives it, if it does. */
  readonly pet: AffectedPet
  readonly from: PetStatus
  readonly to: PetStatus
}

/** An order that somebody wants to place, amend or complete. */
export interface ProposedOrder extends Proposal {
  /** Absent while the order is placed. */
  readonly orderId?: number
  /** The order as it is now; absent while it is placed. */
  readonly before?: OrderContent
  /** The order as it will be if the command is allowed. */
  readonly order: OrderContent
  /** What will have happened to it, in this order: `placed`, `updated`, `completed`, or two of these. */
  readonly facts: ReadonlyArray<OrderFact>
  /** The pet of the order as it will be; absent for a draft. */
  readonly pet?: AffectedPet
}

/** An order that somebody wants to cancel. */
export interface ProposedCancellation extends Proposal {
  readonly orderId: number
  /** The order as it is now. */
  readonly order: OrderContent
  /** Its pet; absent for a draft. */
  readonly pet?: AffectedPet
}

/**
 * A rule of the host: refuses what it sees, or allows it with `undefined`. It is a pure function, asked inside the
 * transaction, so it answers at once and from what it sees alone.
 */
export type Rule<Seen extends Proposal> = (proposal: Seen) => RuleRefusal | undefined

/** What each kind of rule sees. */
export interface Proposals {
  readonly newPet: ProposedPet
  readonly petStatus: ProposedStatus
  readonly order: ProposedOrder
  readonly cancellation: ProposedCancellation
}

/**
 * The rules of the host, asked after those of the petstore itself and only where something would change. Of several, the
 * first that refuses wins.
 */
export type Rules = {
  readonly [Kind in keyof Proposals]?: Rule<Proposals[Kind]> | ReadonlyArray<Rule<Proposals[Kind]>> | undefined
}
