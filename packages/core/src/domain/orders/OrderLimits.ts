import * as Result from "effect/Result"
import { countOption, type OptionSchemas, optionOf, optionsCheck } from "../options.ts"
import type { OrderContent, OrderDecision } from "./Order.ts"
import { OrderLimitExceeded } from "./OrderErrors.ts"
import { orderStates } from "./OrderState.ts"

/** What one owner of orders holds: an account, or a user of it. */
export interface Holdings {
  /** Open orders. */
  readonly openOrders: number
  /** The units that these reserve. */
  readonly reservedUnits: number
  /** Orders without a pet. */
  readonly drafts: number
}

/** How much one owner of orders may hold at the same time. */
export interface OrderLimits {
  /** Maximum number of open orders, up to 1,000. Default: 1,000. */
  readonly openOrders?: number | undefined
  /** Maximum number of units that open orders reserve together. Default: no limit. */
  readonly reservedUnits?: number | undefined
  /** Maximum number of drafts, up to 1,000. Default: 1,000. */
  readonly drafts?: number | undefined
  /**
   * Whose calls are limited: those of all accounts and users, or only those of customers, who see only their own orders. The owner of
   * the store is never limited. Default: "everyone".
   */
  readonly of?: "everyone" | "customers" | undefined
}

/** This number of orders of one owner is counted, so that a call costs the same however many there are. */
export const mostCounted = 1_000

const count = (most: number) =>
  optionOf<number>(
    `a whole number from 0 to ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most
  )

const checkLimits = optionsCheck("The option orderLimits", "{ openOrders: 100 }", {
  openOrders: count(mostCounted),
  reservedUnits: countOption("a whole number of units"),
  drafts: count(mostCounted),
  of: optionOf<OrderLimits["of"]>('"everyone" or "customers"', (value) => value === "everyone" || value === "customers")
} satisfies OptionSchemas<OrderLimits>)

/** Throws a TypeError for an option `orderLimits` that is not one, which plain JavaScript may pass. */
export const checkOrderLimits = (limits: OrderLimits): void => {
  checkLimits(limits)
}

const holdingsOf = (order: OrderContent | undefined): Holdings => {
  const isOpen = order !== undefined && orderStates[order.state].units === "reserved"
  return {
    openOrders: isOpen ? 1 : 0,
    reservedUnits: isOpen ? (order.quantity ?? 0) : 0,
    drafts: order?.state === "draft" ? 1 : 0
  }
}

const combined = (one: Holdings, other: Holdings, sign: 1 | -1): Holdings => ({
  openOrders: one.openOrders + sign * other.openOrders,
  reservedUnits: one.reservedUnits + sign * other.reservedUnits,
  drafts: one.drafts + sign * other.drafts
})

/** A decision about an order, and what its owner holds without that order; absent if that is not limited. */
export interface CountedDecision extends OrderDecision {
  readonly held?: Holdings
}

/** What an owner holds, and how much that may be. A command counts each change of an order here before it writes it. */
export class OwnerHoldings {
  private readonly limits: OrderLimits
  private held: Holdings

  /** `orders`: the open orders and drafts of the owner, each at most one more than are counted. */
  constructor(limits: OrderLimits, orders: ReadonlyArray<OrderContent>) {
    this.limits = limits
    this.held = orders.map(holdingsOf).reduce((one, other) => combined(one, other, 1), holdingsOf(undefined))
  }

  /** Counts a change of an order. Fails if its owner would hold too much. */
  count(decision: OrderDecision, before?: OrderContent): Result.Result<CountedDecision, OrderLimitExceeded> {
    const { held, limits } = this
    const added = combined(holdingsOf(decision.order), holdingsOf(before), -1)
    const { drafts = mostCounted, openOrders = mostCounted, reservedUnits = Number.POSITIVE_INFINITY } = limits
    const maxima: Holdings = { openOrders, reservedUnits, drafts }
    for (const limit of ["openOrders", "reservedUnits", "drafts"] as const) {
      const [requested, maximum] = [added[limit], maxima[limit]]
      // The units of more orders than are counted are not known.
      const isUnknown = limit === "reservedUnits" && held.openOrders > mostCounted && Number.isFinite(maximum)
      if (requested > 0 && (isUnknown || held[limit] + requested > maximum)) {
        return Result.fail(new OrderLimitExceeded({ limit, maximum, held: held[limit], requested }))
      }
    }
    this.held = combined(held, added, 1)
    return Result.succeed({ ...decision, held: combined(held, holdingsOf(before), -1) })
  }
}
