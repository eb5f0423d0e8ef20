import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { isErrorCode } from "../errors/catalogue.ts"
import { InternalError } from "../errors/ServiceErrors.ts"
import { hasOptions } from "../options.ts"
import type { OrderLimits } from "../orders/OrderLimits.ts"
import { shown } from "../shown.ts"
import { RuleRefusal } from "./RuleRefusal.ts"
import type { Proposal, Proposals, Rule, Rules } from "./Rules.ts"

/** Freezes a value with everything in it, and returns it. */
export const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** Calls all rules of one kind. Fails with the first refusal, or with an error if a rule is broken. */
type CallRules<Seen extends Proposal> = (proposal: Seen) => Result.Result<void, RuleRefusal | InternalError>

/** Calls the rules of each kind; undefined if there are none. */
type CalledRules = { readonly [Kind in keyof Proposals]: CallRules<Proposals[Kind]> | undefined }

export interface RuleBook extends CalledRules {
  /** How much one owner of orders may hold; undefined if that is not limited. */
  readonly orderLimits: OrderLimits | undefined
}

const kinds = ["newPet", "petStatus", "order", "cancellation"] as const satisfies ReadonlyArray<keyof Rules>

/** A rule with its name in messages. */
interface NamedRule<Seen extends Proposal> {
  readonly name: string
  readonly rule: Rule<Seen>
}

const broken = (name: string, what: string, cause?: unknown): InternalError =>
  new InternalError({}, { message: `The rule ${name} ${what}. Nothing was changed.`, cause })

const isJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** Whether a value is an instance of a class made by `refusal`, and unchanged. */
const isRefusal = (result: unknown): result is RuleRefusal =>
  result instanceof RuleRefusal && result.status === 409 && !isErrorCode(result.code)

const outcomeOf = (name: string, result: unknown): Result.Result<void, RuleRefusal | InternalError> => {
  if (result === undefined) return Result.void
  if (isRefusal(result)) {
    return Result.fail(isJson(result) ? result : broken(name, "rejected with details that cannot be sent as JSON"))
  }
  if (Predicate.isPromiseLike(result)) {
    // An unhandled rejection of it would end the process.
    result.then(undefined, () => {})
    return Result.fail(
      broken(name, "returned a promise, but rules must return at once. Look things up before the call")
    )
  }
  return Result.fail(broken(name, "returned neither undefined nor a refusal made by refusal() of this @petstore/core"))
}

const callRule = <Seen extends Proposal>({ name, rule }: NamedRule<Seen>, proposal: Seen) => {
  try {
    return outcomeOf(name, rule(proposal))
  } catch (cause) {
    const what = cause instanceof RuleRefusal ? "threw its refusal. Return it instead" : "threw an error"
    return Result.fail(broken(name, what, cause))
  }
}

const callAll = <Seen extends Proposal>(rules: ReadonlyArray<NamedRule<Seen>>): CallRules<Seen> | undefined =>
  rules.length === 0
    ? undefined
    : (proposal) => {
        // Frozen, so that no rule can change what the next one receives.
        const seen = frozen(proposal)
        for (const rule of rules) {
          const outcome = callRule(rule, seen)
          if (Result.isFailure(outcome)) return outcome
        }
        return Result.void
      }

const nameOf = (place: string, kind: string, rule: { readonly name: string }): string =>
  rule.name === "" || rule.name === kind ? place : `${rule.name} (${place})`

const named = <Seen extends Proposal>(
  kind: string,
  given: Rule<Seen> | ReadonlyArray<Rule<Seen>> | undefined
): ReadonlyArray<NamedRule<Seen>> => {
  if (given === undefined) return []
  const isList = Array.isArray(given)
  return [given].flat().map((rule, index) => {
    const place = isList ? `rules.${kind}[${index}]` : `rules.${kind}`
    if (typeof rule !== "function")
      throw new TypeError(`${place} takes a function, or a list of functions, not ${shown(rule)}`)
    return { name: nameOf(place, kind, rule), rule }
  })
}

/** Prepares rules to be called. Throws a TypeError if they are not rules. */
export const ruleBook = (rules: Rules = {}, orderLimits?: OrderLimits): RuleBook => {
  if (!hasOptions(rules, kinds)) {
    throw new TypeError(`The option rules takes an object with any of ${kinds.join(", ")}, not ${shown(rules)}`)
  }
  const unknown = Reflect.ownKeys(rules).filter((name) => !kinds.some((kind) => kind === name))
  if (unknown.length > 0) {
    throw new TypeError(`There are no rules for ${unknown.map(String).join(", ")}; there are ${kinds.join(", ")}`)
  }
  return {
    newPet: callAll(named("newPet", rules.newPet)),
    petStatus: callAll(named("petStatus", rules.petStatus)),
    order: callAll(named("order", rules.order)),
    cancellation: callAll(named("cancellation", rules.cancellation)),
    orderLimits
  }
}
