import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { ValidationFailed } from "../errors/InputErrors.ts"
import { Id, integer } from "../Id.ts"
import { limits } from "../limits.ts"
import { durationOption, optionOf, optionsCheck } from "../options.ts"
import { Timestamp } from "../Timestamp.ts"
import { validator } from "../validate.ts"

/** Until when an open order holds its units: it expires then, unless it is completed before. */
export const Reservation = Schema.Struct({ orderId: Id, expiresAt: Timestamp }).annotate({ identifier: "Reservation" })
export interface Reservation extends Schema.Schema.Type<typeof Reservation> {}

/** For how long an order holds its units: milliseconds, up to 365 days. */
const ReserveFor = integer(1, limits.reservation)

/**
 * Milliseconds from now within which every reservation ends: the longest time that can be asked for, and a minute by which a clock may be
 * corrected after it was set. One that ends later was set under a wrong clock.
 */
export const longestReservationMillis = limits.reservation + 60_000

/** How long the orders of a store hold their units. */
export interface ReservationPolicy {
  /**
   * When an order expires that is placed without `reserveFor`; default: never. For users who see only their own orders, it is the
   * longest time that they can ask for. A duration of up to 365 days, such as "15 minutes"; a number is milliseconds.
   */
  readonly expireAfter?: Duration.Input | undefined
}

const check = validator(Schema.Struct({ reserveFor: ReserveFor }))

const millisOf = (duration: Duration.Input | undefined): number | undefined =>
  duration === undefined ? undefined : Math.round(Duration.toMillis(duration))

/** The milliseconds of the option `reserveFor`. Fails if there are too many, or none. */
export const reserveMillis = (duration: Duration.Input | undefined): Result.Result<number, ValidationFailed> =>
  Result.mapBoth(check("/query", { reserveFor: millisOf(duration) }), {
    onSuccess: ({ reserveFor }) => reserveFor,
    onFailure: (violations) => ValidationFailed.of(violations)
  })

const isDuration = SchemaParser.is(durationOption)

const checkPolicy = optionsCheck("The option reservations", '{ expireAfter: "15 minutes" }', {
  expireAfter: optionOf<Duration.Input>(
    'a duration of up to 365 days, such as "15 minutes", or a number of milliseconds',
    (value) => isDuration(value) && Result.isSuccess(reserveMillis(value))
  )
})

/** Throws a TypeError for an option `reservations` that is not one, which plain JavaScript may pass. */
export const checkReservations = (policy: ReservationPolicy): void => {
  checkPolicy(policy)
}
