import { isErrorCode } from "../errors/catalogue.ts"
import { type ErrorExtras, type ItemDetails, PetstoreError } from "../errors/PetstoreError.ts"

/** Why one of your rules rejects a command. All rules share this type, and each has its own code. See {@link refusal}. */
export abstract class RuleRefusal extends PetstoreError {
  readonly _tag = "RuleRefusal"
  readonly status = 409
}

type Details = Readonly<Record<string, unknown>>

/** A refusal with one code. `D` is the type of its `details`. */
export interface DeclaredRefusal<Code extends string, D extends Details> extends RuleRefusal {
  readonly code: Code
  readonly details: ItemDetails<D>
}

/** The class of one refusal. `D` is the type of its `details`; `{}` if there are none. */
export interface RuleRefusalClass<Code extends string, D extends Details> {
  new (details: D, extras?: Omit<ErrorExtras, "violations">): DeclaredRefusal<Code, D>
  readonly code: Code
  readonly status: 409
}

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

const checkCode = (code: string): void => {
  if (typeof code !== "string" || !snakeCase.test(code)) {
    throw new TypeError(`A refusal takes a code in snake case, such as "no_reptiles_by_mail", not ${String(code)}`)
  }
  if (isErrorCode(code)) {
    throw new TypeError(`The code ${code} is one of the petstore itself. Give the refusal a code of its own.`)
  }
}

/**
 * Declares a refusal of your own: its code, in snake case and not one of the petstore's, and how its message is made
 * from its details. Details are sent as JSON.
 *
 * @example
 * ```ts
 * import { refusal } from "@petstore/core"
 *
 * class NoReptilesByMail extends refusal(
 *   "no_reptiles_by_mail",
 *   ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile. Collect it in the shop.`
 * ) {}
 *
 * new NoReptilesByMail({ petId: 7 }).message // => "Pet 7 is a reptile. Collect it in the shop."
 * new NoReptilesByMail({ petId: 7 }).status // => 409
 * ```
 */
export const refusal = <const Code extends string, D extends Details = Record<never, never>>(
  code: Code,
  message: (details: D) => string
): RuleRefusalClass<Code, D> => {
  checkCode(code)
  if (typeof message !== "function") {
    throw new TypeError(`The refusal ${code} takes a function that makes its message from its details`)
  }
  class Refusal extends RuleRefusal {
    static readonly code = code
    static readonly status = 409
    override readonly name: string
    readonly code = code
    declare readonly details: ItemDetails<D>

    constructor(details: D, extras: Omit<ErrorExtras, "violations"> = {}) {
      if (typeof details !== "object" || details === null || Array.isArray(details)) {
        throw new TypeError(`The refusal ${code} takes an object of details, {} if there are none`)
      }
      const text = extras.message ?? message(details)
      if (typeof text !== "string") throw new TypeError(`The refusal ${code} has no message`)
      super({
        message: text,
        details,
        ...(extras.cause === undefined ? {} : { cause: extras.cause })
      })
      this.name = new.target.name
    }
  }
  return Refusal
}
