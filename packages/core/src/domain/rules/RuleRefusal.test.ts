import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { untyped } from "../../../testing/src/untyped.ts"
import { catalogue } from "../errors/catalogue.ts"
import { PetstoreError } from "../errors/PetstoreError.ts"
import { RuleRefusal, refusal } from "./RuleRefusal.ts"

class NoReptilesByMail extends refusal(
  "no_reptiles_by_mail",
  ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile. Collect it in the shop.`
) {}

class ClosedOnSunday extends refusal("closed_on_sunday", () => "We are closed on Sundays.") {}

describe("given a refusal that a host application declares", () => {
  const error = new NoReptilesByMail({ petId: 7 })

  it("then it is an error of the petstore with the status 409, its own code and its details", () => {
    assert.instanceOf(error, Error)
    assert.isTrue(error instanceof PetstoreError)
    assert.isTrue(error instanceof RuleRefusal)
    const { petId }: { readonly petId: number } = error.details
    const code: "no_reptiles_by_mail" = error.code
    assert.deepStrictEqual(
      { petId, code, status: error.status, tag: error._tag, message: error.message },
      {
        petId: 7,
        code: "no_reptiles_by_mail",
        status: 409,
        tag: "RuleRefusal",
        message: "Pet 7 is a reptile. Collect it in the shop."
      }
    )
    assert.strictEqual(NoReptilesByMail.code, "no_reptiles_by_mail")
    assert.strictEqual(NoReptilesByMail.status, 409)
  })

  it("then it has the name of its class, in its stack too", () => {
    assert.strictEqual(error.name, "NoReptilesByMail")
    assert.include(error.stack ?? "", "NoReptilesByMail")
  })

  it("then it is sent as code, message, status and details, and its cause stays inside", () => {
    const caused = new NoReptilesByMail({ petId: 7 }, { cause: new Error("SECRET"), message: "Come to the shop." })
    assert.deepStrictEqual(JSON.parse(JSON.stringify(caused)), {
      code: "no_reptiles_by_mail",
      message: "Come to the shop.",
      status: 409,
      details: { petId: 7 }
    })
    assert.instanceOf(caused.cause, Error)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(new ClosedOnSunday({}))), {
      code: "closed_on_sunday",
      message: "We are closed on Sundays.",
      status: 409
    })
  })

  it("then a program of Effect catches the refusals of all rules by one tag", () => {
    const program = Effect.gen(function* () {
      return yield* new ClosedOnSunday({})
    })
    const caught = program.pipe(
      Effect.catchTag("RuleRefusal", ({ code }) => Effect.succeed(code)),
      Effect.runSync
    )
    assert.strictEqual(caught, "closed_on_sunday")
  })
})

describe("given a refusal whose code cannot be", () => {
  for (const code of [
    "NoReptiles",
    "no-reptiles",
    "no reptiles",
    "_reptiles",
    "reptiles_",
    "no__reptiles",
    "9_lives",
    ""
  ]) {
    it(`when it is ${JSON.stringify(code)}, then the error demands snake case`, () => {
      assert.throws(() => refusal(code, () => "No."), TypeError, /code in snake case, such as "no_reptiles_by_mail"/)
    })
  }

  it("when it is not a text, then the error says so", () => {
    for (const code of [undefined, null, 7, Symbol("code"), {}]) {
      assert.throws(() => refusal(untyped(code), () => "No."), TypeError, /code in snake case/)
    }
  })

  it("when it is one of the petstore's own, then the error demands another", () => {
    for (const code of Object.keys(catalogue)) {
      assert.throws(() => refusal(code, () => "No."), TypeError, `The code ${code} is one of the petstore itself`)
    }
  })

  it("when there is no function for the message, then the error says so", () => {
    assert.throws(() => refusal("closed", untyped("We are closed.")), TypeError, /refusal closed takes a function/)
  })

  it("when its details are not an object, then constructing it fails", () => {
    for (const details of [undefined, null, "snake", 7, ["snake"]]) {
      const message = "The refusal closed_on_sunday takes an object of details, {} if there are none"
      assert.throws(() => new ClosedOnSunday(untyped(details)), TypeError, message)
    }
  })

  it("when its function returns no text, then constructing it fails", () => {
    class Mute extends refusal(
      "mute",
      untyped(() => undefined)
    ) {}
    assert.throws(() => new Mute({}), TypeError, "The refusal mute has no message")
  })
})
