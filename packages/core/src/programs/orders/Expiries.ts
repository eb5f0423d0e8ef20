import * as Latch from "effect/Latch"
import type { ReservationPolicy } from "../../domain/orders/Reservation.ts"

/** When orders expire, as far as a petstore knows. */
export class Expiries {
  readonly policy: ReservationPolicy
  /** Opens when an order expires before all others that are known. */
  readonly sooner = Latch.makeUnsafe(false)
  /** Milliseconds since 1970 of the next one. */
  next = Number.POSITIVE_INFINITY

  constructor(policy: ReservationPolicy) {
    this.policy = policy
  }

  /** Looks again when this order is due: it may not be committed before, if it is part of a larger transaction. */
  expect(expiresAt: string): void {
    const due = Date.parse(expiresAt)
    if (due >= this.next) return
    this.next = due
    this.sooner.openUnsafe()
  }
}
