import * as Schema from "effect/Schema"
import type { ErrorCode } from "./errors/ErrorCode.ts"
import { limits } from "./limits.ts"

/** What a method takes and how it is checked: perhaps a kind of resource, an id, then a body or a query, then options. */
export interface MethodInput {
  /** Which kind of resource the id is of, if the method is for several; it comes before the id. */
  readonly kind?: Schema.ConstraintDecoder<unknown>
  /** The id, under the name that it has in paths. */
  readonly path?: { readonly [name: string]: Schema.ConstraintDecoder<unknown> & Schema.Top }
  readonly body?: Schema.ConstraintDecoder<unknown>
  /** The only field of the body, if the method takes its value instead of an object. */
  readonly field?: string
  /** Whether an absent body is an empty one. */
  readonly bodyIsOptional?: true
  /** The filters, order and page of a list. */
  readonly query?: Schema.ConstraintDecoder<unknown>
  /** The options that the method takes in addition to those of every call. */
  readonly options?: {
    readonly idempotencyKey?: true
    readonly ifVersion?: true
    readonly reserveFor?: true
    readonly include?: true
    readonly reason?: true
    readonly record?: true
  }
  /** Whether there is a version 0, of something that does not exist yet. */
  readonly hasVersion0?: true
  /** Whether it rejects an idempotency key: its result has a secret, which is not stored, so that a call cannot be repeated. */
  readonly rejectsKey?: true
  /** How it can fail, in addition to what its inputs and options imply, and to any failure of the store. */
  readonly errors?: ReadonlyArray<ErrorCode>
  /** Whether rules of the host application may reject it, with codes of their own. */
  readonly hostRules?: true
}

/** The inputs of the methods of one group, by name. */
export type MethodInputs = Readonly<Record<string, MethodInput>>

/** The elements of one call for many: 1 to 1,000. */
export const batchOf = <S extends Schema.Top>(element: S) =>
  Schema.Array(element).check(
    Schema.isMinLength(1, { message: "Expected at least one element" }),
    Schema.isMaxLength(limits.batch, { message: `Expected at most ${limits.batch} elements` })
  )
