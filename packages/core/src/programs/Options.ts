import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { PreconditionFailed } from "../domain/errors/RequestErrors.ts"

/**
 * A value with its version, which changes whenever callers see the value change. It increases, except for API keys and
 * reservations.
 */
export type Versioned<A> = A & { readonly version: number }

/** The schema of a resource with its version, as it is stored for repetitions of its creation. */
export const versioned = <F extends Schema.Struct.Fields>(schema: Schema.Struct<F>) =>
  Schema.Struct({ ...schema.fields, version: Schema.Int })

/** The result of a command, and whether it is that of an earlier call with the same idempotency key. */
export interface Done<A> {
  readonly value: A
  readonly replayed: boolean
}

/** What every method takes. */
export interface CallOptions {
  /** Cancels the call: it rejects with the signal's reason. If the storage has begun to commit, the call still finishes. */
  readonly signal?: AbortSignal | undefined
}

/** The options of every method that accepts an idempotency key. */
export interface CreateOptions {
  /** Repeating a call with the same key has one effect and returns the same result, for 7 days. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined
}

/** What begins a reservation takes. */
export interface ReserveOptions extends CreateOptions {
  /**
   * How long the order holds its units: a duration of up to 365 days, such as "15 minutes"; a number is milliseconds. It then expires
   * unless it was completed. Default: the time of the option `reservations`.
   * @beta
   */
  readonly reserveFor?: Duration.Input | undefined
}

/** What the cancellation of an order takes. */
export interface CancelOptions extends ChangeOptions {
  /** Why: one line of 1 to 200 characters, which lists of cancelled orders show, also to the customer. */
  readonly reason?: string | undefined
}

/** What changes and deletions take. */
export interface ChangeOptions extends CreateOptions {
  /** Change only this version (or one of these); fails with {@link PreconditionFailed} otherwise. */
  readonly ifVersion?: number | ReadonlyArray<number> | undefined
}
