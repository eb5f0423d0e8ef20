import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { isErrorCode } from "../errors/catalogue.ts"
import { InternalError } from "../errors/ServiceErrors.ts"
import { frozen } from "./frozen.ts"
import { RuleRefusal } from "./RuleRefusal.ts"
import type { Proposal, Proposals, Rule, Rules } from "./Rules.ts"

/** Asks all rules of one kind: fails with the first refusal, or with what is wrong with a rule. */
export type Ask<Seen extends Proposal> = (proposal: Seen) => Result.Result<void, RuleRefusal | InternalError>

/** What asks the rules of each kind; undefined where there is none. */
export type RuleBook = { readonly [Kind in keyof Proposals]: Ask<Proposals[Kind]> | undefined }

const kinds = ["newPet", "petStatus", "order", "cancellation"] as const satisfies ReadonlyArray<keyof Rules>

/** A rule with the name that messages give it. */
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

/** Whether it is made by `refusal`, and as it was made. */
const isRefusal = (answer: unknown): answer is RuleRefusal =>
  answer instanceof RuleRefusal && answer.status === 409 && !isErrorCode(answer.code)

const verdict = (name: string, answer: unknown): Result.Result<void, RuleRefusal | InternalError> => {
  if (answer === undefined) return Result.void
  if (isRefusal(answer)) {
    return Result.fail(isJson(answer) ? answer : broken(name, "refused with details that cannot be sent as JSON"))
  }
  if (Predicate.isPromiseLike(answer)) {
    // Whatever becomes of it, it must not end the process as a rejection that nobody handles.
    answer.then(undefined, () => {})
    return Result.fail(broken(name, "returned a promise, but rules answer at once. Look things up before the call"))
  }
  return Result.fail(broken(name, "returned neither undefined nor a refusal made by refusal() of this @petstore/core"))
}

const askOne = <Seen extends Proposal>({ name, rule }: NamedRule<Seen>, proposal: Seen) => {
  try {
    return verdict(name, rule(proposal))
  } catch (cause) {
    const what = cause instanceof RuleRefusal ? "threw its refusal. Return it instead" : "threw an error"
    return Result.fail(broken(name, what, cause))
  }
}

const askAll = <Seen extends Proposal>(rules: ReadonlyArray<NamedRule<Seen>>): Ask<Seen> | undefined =>
  rules.length === 0
    ? undefined
    : (proposal) => {
        // Frozen, so that no rule hides anything from the next.
        const seen = frozen(proposal)
        for (const rule of rules) {
          const answer = askOne(rule, seen)
          if (Result.isFailure(answer)) return answer
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
    if (typeof rule !== "function") throw new TypeError(`${place} takes a function, or a list of functions`)
    return { name: nameOf(place, kind, rule), rule }
  })
}

/** The rules of a host, ready to be asked. Throws a TypeError for what are no rules. */
export const ruleBook = (rules: Rules = {}): RuleBook => {
  if (typeof rules !== "object" || rules === null || Array.isArray(rules)) {
    throw new TypeError(`The option rules takes an object with any of ${kinds.join(", ")}`)
  }
  const unknown = Object.keys(rules).filter((name) => !kinds.some((kind) => kind === name))
  if (unknown.length > 0) {
    throw new TypeError(`There are no rules for ${unknown.join(", ")}; there are ${kinds.join(", ")}`)
  }
  return {
    newPet: askAll(named("newPet", rules.newPet)),
    petStatus: askAll(named("petStatus", rules.petStatus)),
    order: askAll(named("order", rules.order)),
    cancellation: askAll(named("cancellation", rules.cancellation))
  }
}
