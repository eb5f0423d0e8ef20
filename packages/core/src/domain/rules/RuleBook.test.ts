import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { untyped } from "../../../testing/src/untyped.ts"
import { InternalError } from "../errors/ServiceErrors.ts"
import { PetNotAvailable } from "../orders/OrderErrors.ts"
import { ruleBook } from "./RuleBook.ts"
import { RuleRefusal, refusal } from "./RuleRefusal.ts"
import type { ProposedPet, Rules } from "./Rules.ts"

class NameTooPlain extends refusal("name_too_plain", () => "Think of another name.") {}
class NoSnakes extends refusal("no_snakes", () => "We have no terrarium.") {}

const proposal = (): ProposedPet => ({
  actor: "owner",
  at: "2026-01-01T00:00:00.000Z",
  pet: { name: "Rex", status: "available", category: { id: 1, name: "Dogs" } }
})

const ask = (newPet: Rules["newPet"]) => {
  const book = ruleBook({ newPet })
  if (book.newPet === undefined) return assert.fail("There is no rule to ask")
  return book.newPet(proposal())
}

const failureOf = (newPet: unknown): unknown => {
  const result = ask(untyped(newPet))
  return Result.isFailure(result) ? result.failure : assert.fail("It was allowed")
}

describe("given no rule of a kind", () => {
  it("then there is nothing to ask", () => {
    for (const rules of [undefined, {}, { newPet: undefined }, { newPet: [] }]) {
      assert.deepStrictEqual(ruleBook(rules), {
        newPet: undefined,
        petStatus: undefined,
        order: undefined,
        cancellation: undefined,
        orderLimits: undefined
      })
    }
  })
})

describe("given one rule", () => {
  it("when it returns undefined, then the command is allowed", () => {
    assert.isTrue(Result.isSuccess(ask(() => undefined)))
  })

  it("when it returns a refusal, then that instance is the outcome", () => {
    const refused = new NameTooPlain({})
    assert.strictEqual(
      failureOf(() => refused),
      refused
    )
  })

  it("when it is called, then it receives the proposal", () => {
    const seen: Array<ProposedPet> = []
    ask((one) => {
      seen.push(one)
      return undefined
    })
    assert.deepStrictEqual(seen, [proposal()])
  })
})

describe("given several rules", () => {
  it("then the first that rejects wins, and those after it are not called", () => {
    const asked: Array<string> = []
    const rule = (name: string, result?: NameTooPlain | NoSnakes) => () => {
      asked.push(name)
      return result
    }
    const refused = new NoSnakes({})
    assert.strictEqual(
      failureOf([rule("first"), rule("second", refused), rule("third", new NameTooPlain({}))]),
      refused
    )
    assert.deepStrictEqual(asked, ["first", "second"])
  })

  it("when one writes into the proposal, then that fails, so that the next one receives the same proposal", () => {
    const writes: ReadonlyArray<(seen: ProposedPet) => unknown> = [
      (seen) => Object.assign(seen, { actor: "nobody" }),
      ({ pet }) => Object.assign(pet, { name: "Max" }),
      ({ pet }) => Object.assign(pet.category, { name: "Cats" })
    ]
    for (const write of writes) {
      const writing = (seen: ProposedPet): undefined => void write(seen)
      const failure = failureOf([writing, () => undefined])
      if (!(failure instanceof InternalError)) return assert.fail(String(failure))
      assert.match(failure.message, /^The rule writing \(rules\.newPet\[0\]\) threw an error/)
      assert.instanceOf(failure.cause, TypeError)
    }
  })

  it("then they allow what none of them rejects", () => {
    assert.isTrue(Result.isSuccess(ask([() => undefined, () => undefined])))
  })
})

describe("given a rule that is broken", () => {
  const isBroken = (failure: unknown, message: RegExp): InternalError => {
    if (!(failure instanceof InternalError)) return assert.fail(String(failure))
    assert.match(failure.message, message)
    assert.match(failure.message, / Nothing was changed\.$/)
    return failure
  }

  it("when it throws, then the error names it and has what was thrown as its cause", () => {
    const thrown = new Error("Oops")
    const throwing = () => {
      throw thrown
    }
    assert.strictEqual(
      isBroken(failureOf(throwing), /^The rule throwing \(rules\.newPet\) threw an error\./).cause,
      thrown
    )
    isBroken(failureOf([() => undefined, throwing]), /^The rule throwing \(rules\.newPet\[1\]\) threw an error\./)
  })

  it("when it has no name of its own, then it is named by its place", () => {
    const [nameless] = [() => untyped(false)]
    isBroken(failureOf([nameless]), /^The rule rules\.newPet\[0\] returned neither undefined nor a refusal/)
    isBroken(failureOf({ newPet: () => false }.newPet), /^The rule rules\.newPet returned neither/)
  })

  it("when it is asynchronous, then the error says so, and its rejection is handled", async () => {
    isBroken(
      failureOf(() => Promise.reject(new Error("Nobody handles this"))),
      /returned a promise, but rules must return at once/
    )
    // A rejection that nobody handles fails the run.
    await new Promise((resolve) => setImmediate(resolve))
  })

  it("when it throws its refusal, then the error says to return it", () => {
    const thrown = new NoSnakes({})
    const throwing = () => {
      throw thrown
    }
    assert.strictEqual(isBroken(failureOf(throwing), /threw its refusal\. Return it instead\./).cause, thrown)
  })

  it("when its refusal has another code or status than its class declared, then the error says so", () => {
    class Impostor extends RuleRefusal {
      readonly code = "insufficient_stock"
    }
    const others = [new Impostor({ message: "Less." }), Object.assign(new NoSnakes({}), untyped({ status: 200 }))]
    for (const other of others)
      isBroken(
        failureOf(() => other),
        /returned neither undefined nor a refusal made by refusal/
      )
  })

  it("when its refusal cannot be sent, then the error says so", () => {
    class Huge extends refusal("huge", ({ units }: { readonly units: bigint }) => `${units} units are too many.`) {}
    isBroken(
      failureOf(() => new Huge({ units: 9n })),
      /rejected with details that cannot be sent as JSON/
    )
  })

  it("when it returns anything else, then the error says what to return", () => {
    const results = [
      null,
      false,
      true,
      "no",
      0,
      {},
      new Error("no"),
      new PetNotAvailable({ petId: 1, status: "sold", quantity: 0 })
    ]
    for (const result of results)
      isBroken(
        failureOf(() => result),
        /returned neither undefined nor a refusal made by refusal/
      )
  })
})

describe("given what are no rules", () => {
  const refusals: ReadonlyArray<readonly [unknown, RegExp]> = [
    [null, /option rules takes an object with any of newPet, petStatus, order, cancellation/],
    ["no", /option rules takes an object/],
    [() => undefined, /option rules takes an object/],
    [[() => undefined], /option rules takes an object/],
    [{ orders: () => undefined }, /no rules for orders; there are newPet, petStatus, order, cancellation/],
    [{ order: "no" }, /rules\.order takes a function, or a list of functions/],
    [{ order: null }, /rules\.order takes a function/],
    [{ order: { check: () => undefined } }, /rules\.order takes a function/],
    [{ order: [() => undefined, "no"] }, /rules\.order\[1\] takes a function/],
    [{ order: [[() => undefined]] }, /rules\.order\[0\] takes a function/]
  ]
  for (const [rules, message] of refusals) {
    it(`when it is ${typeof rules === "function" ? "a function" : JSON.stringify(rules)}, then a TypeError says ${message.source}`, () => {
      assert.throws(() => ruleBook(untyped(rules)), TypeError, message)
    })
  }
})
