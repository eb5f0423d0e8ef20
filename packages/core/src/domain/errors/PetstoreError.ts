import * as Data from "effect/Data"
import type { ErrorCode } from "./ErrorCode.ts"

/** The name of the method that formats a value for `console.log` in Node.js, Deno and Bun. */
const inspect = Symbol.for("nodejs.util.inspect.custom")

/**
 * One thing that is wrong with an input, and where: `path` is a JSON pointer such as `/body/name` or `/query/limit`. An id is
 * at `/petId` in a call of a method, and at `/path/petId` in the response to an HTTP request.
 */
export interface Violation {
  readonly path: string
  readonly message: string
}

/** The Error object of the specification, with the two optional additions of this project. */
export interface ErrorBody {
  /** Machine-readable and stable; one HTTP status each. */
  readonly code: string
  /** For people: what is wrong, and what to do. */
  readonly message: string
  /** The HTTP status code. */
  readonly status: number
  /** Everything that is wrong with the input, all at once. */
  readonly violations?: ReadonlyArray<Violation>
  /** The values behind the error, such as the current stock. */
  readonly details?: Readonly<Record<string, unknown>>
}

interface PetstoreErrorProps {
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly violations?: ReadonlyArray<Violation> | undefined
  readonly cause?: unknown
}

/**
 * The class of all errors of the petstore, the same in-process and over HTTP: the promise API rejects with it, the
 * Effect API has it in its error channel, and the REST API sends it as an {@link ErrorBody}.
 *
 * @example
 * ```ts
 * import { InsufficientStock, PetstoreError } from "@petstore/core"
 *
 * const explain = (error: unknown): string =>
 *   error instanceof InsufficientStock
 *     ? `only ${error.details.available} left`
 *     : error instanceof PetstoreError ? `${error.code} (${error.status})` : "a bug"
 *
 * explain(new InsufficientStock({ petId: 1, requested: 3, available: 2 })) // => "only 2 left"
 * ```
 */
export abstract class PetstoreError extends Data.Error<PetstoreErrorProps> {
  abstract readonly _tag: string
  /** One of the petstore, which editors complete, or one of your own rules. */
  abstract readonly code: ErrorCode | (string & Record<never, never>)
  abstract readonly status: number

  static {
    // Errors of Effect print as plain data in Node.js. Without its hook they print as errors, with stack and details.
    Object.defineProperty(PetstoreError.prototype, inspect, { value: undefined })
  }

  /** The form that is sent over HTTP. It never contains the cause. */
  override toJSON(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      status: this.status,
      ...(this.violations === undefined ? {} : { violations: this.violations }),
      ...(this.details === undefined || Object.keys(this.details).length === 0 ? {} : { details: this.details })
    }
  }
}

/** What an error can be constructed with in addition to its details. */
export interface ErrorExtras {
  /** Replaces the message that is made from the details. */
  readonly message?: string
  readonly violations?: ReadonlyArray<Violation>
  /** For the log; never sent. */
  readonly cause?: unknown
}

type Details = Readonly<Record<string, unknown>>

/** The details `D`, and the place of the item that was rejected, from 0, if a call such as `orders.placeAll` has several. */
export type ItemDetails<D extends Details> = D & { readonly index?: number }

/** An error with one code. `D` is the type of its `details`. */
export interface Failure<Tag extends string, Code extends string, Status extends number, D extends Details>
  extends PetstoreError {
  readonly _tag: Tag
  readonly code: Code
  readonly status: Status
  readonly details: ItemDetails<D>
}

/** The class of one error code. `D` is the type of its `details`; `{}` if there are none. */
export interface ErrorClass<Tag extends string, Code extends string, Status extends number, D extends Details> {
  new (details: D, extras?: ErrorExtras): Failure<Tag, Code, Status, D>
  readonly code: Code
  readonly status: Status
}

/** The same error, of one of several items: `details.index` is its place among them, from 0. */
export const atIndex = <E extends PetstoreError>(error: E, index: number): E => {
  // Without its constructor, which may be that of a host application and take anything.
  const copy: E = Reflect.construct(Error, [error.message], error.constructor)
  const { stack: _, ...properties } = Object.getOwnPropertyDescriptors(error)
  Object.defineProperties(copy, properties)
  return Object.assign(copy, { details: { ...error.details, index } })
}

/** Declares the error of one code: its status and how its message is made from its details. */
export const failure = <
  const Tag extends string,
  const Code extends string,
  const Status extends number,
  D extends Details = Record<never, never>
>(
  tag: Tag,
  code: Code,
  status: Status,
  message: (details: D) => string
): ErrorClass<Tag, Code, Status, D> => {
  class DeclaredFailure extends PetstoreError {
    static readonly code = code
    static readonly status = status
    override readonly name: string = tag
    readonly _tag = tag
    readonly code = code
    readonly status = status
    declare readonly details: ItemDetails<D>

    constructor(details: D, extras: ErrorExtras = {}) {
      const { cause, violations } = extras
      super({
        message: extras.message ?? message(details),
        details,
        ...(violations === undefined ? {} : { violations }),
        ...(cause === undefined ? {} : { cause })
      })
    }
  }
  return DeclaredFailure
}
