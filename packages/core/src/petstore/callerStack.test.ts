import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import { InternalError, StorageBusy } from "../domain/errors/ServiceErrors.ts"
import { refusal } from "../domain/rules/RuleRefusal.ts"
import { withCallerStack } from "./callerStack.ts"
import { createPetstore } from "./createPetstore.ts"

/** A call of the promise API that fails. */
const failingCall = async (error: unknown): Promise<never> => {
  await undefined
  throw withCallerStack(error, failingCall)
}

const caught = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    await call()
  } catch (error) {
    return error
  }
  return assert.fail("Expected a rejection")
}

async function firstCaller(error: unknown): Promise<void> {
  await failingCall(error)
}

async function secondCaller(error: unknown): Promise<void> {
  await failingCall(error)
}

const stackOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error ? (error.stack ?? "").split("\n") : assert.fail(`${error} is not an error`)

describe("the stack of an error of the promise API", () => {
  it("given a PetstoreError, when it is caught, then its stack begins with the name, the message and the line that awaits the call", async () => {
    const error = await caught(() => firstCaller(NotFound.of("pet", 9)))
    const [header, frame] = stackOf(error)
    assert.strictEqual(header, "NotFound: There is no pet 9.")
    assert.match(frame ?? "", /^ {4}at (?:async )?firstCaller \(.*callerStack\.test\.ts:\d+:\d+\)$/)
  })

  it("given internal_error, when it is caught, then its own stack comes first and its caller last, and its cause is as it was", async () => {
    const cause = new Error("disk I/O error")
    const causeStack = cause.stack
    const original = new InternalError({}, { cause })
    const originalStack = stackOf(original)
    const error = await caught(() => firstCaller(original))
    const stack = stackOf(error)
    assert.deepStrictEqual(stack.slice(0, originalStack.length), originalStack)
    assert.match(stack[originalStack.length] ?? "", /at (?:async )?firstCaller/)
    assert.strictEqual(original.cause, cause)
    assert.strictEqual(cause.stack, causeStack)
  })

  it("given an error that is not of the petstore, when it is caught, then it is the same, and the caller follows in its stack", async () => {
    const original = new TypeError("not a function")
    const originalStack = stackOf(original)
    const error = await caught(() => firstCaller(original))
    assert.strictEqual(error, original)
    assert.deepStrictEqual(stackOf(error).slice(0, originalStack.length), originalStack)
    assert.match(stackOf(error)[originalStack.length] ?? "", /at (?:async )?firstCaller/)
  })

  it("given one error that reaches two callers, when both catch it, then each has its own stack and nothing else differs", async () => {
    for (const original of [new StorageBusy({}, { cause: new Error("locked") }), new InternalError({})]) {
      const [one, two] = await Promise.all([caught(() => firstCaller(original)), caught(() => secondCaller(original))])
      assert.include(stackOf(one).join(), "firstCaller")
      assert.notInclude(stackOf(one).join(), "secondCaller")
      assert.include(stackOf(two).join(), "secondCaller")
      assert.notInclude(stackOf(two).join(), "firstCaller")
      assert.isTrue(two instanceof Error && two instanceof original.constructor)
      assert.deepStrictEqual(two, one)
      assert.isTrue(Error.prototype.toString.call(two) === String(original))
    }
  })

  it("given an error of a stranger that reaches callers again and again, then its stack does not grow and names no wrong caller", async () => {
    const original = new Error("always the same")
    const originalStack = original.stack
    await caught(() => firstCaller(original))
    await caught(() => secondCaller(original))
    assert.strictEqual(original.stack, originalStack)
  })

  it("given frozen errors, then a PetstoreError is copied, and any other is thrown as it is", async () => {
    class ClosedAtNight extends refusal("closed_at_night", () => "Nothing is shipped at night.") {}
    const refused = await caught(() => firstCaller(Object.freeze(new ClosedAtNight({}))))
    assert.instanceOf(refused, ClosedAtNight)
    assert.match(stackOf(refused)[1] ?? "", /at (?:async )?firstCaller/)
    const foreign = Object.freeze(new Error("frozen"))
    assert.strictEqual(await caught(() => firstCaller(foreign)), foreign)
    assert.strictEqual(await caught(() => firstCaller("a text")), "a text")
  })

  it("given a call that nothing awaits, when it fails, then its error keeps the stack that it had", async () => {
    const original = NotFound.of("pet", 9)
    const { stack } = original
    const error = await new Promise((resolve) => void failingCall(original).catch(resolve))
    assert.strictEqual(error, original)
    assert.strictEqual(original.stack, stack)
  })
})

describe("the reason of a signal that ends a loop", () => {
  it("when the loop throws it, then it is the same, with its own stack", async () => {
    await using petstore = await createPetstore()
    const leave = new AbortController()
    const reason = new Error("closing time")
    const { stack } = reason
    async function loop(): Promise<void> {
      for await (const _ of petstore.events.stream({}, { signal: leave.signal })) break
    }
    const failure = caught(loop)
    leave.abort(reason)
    assert.strictEqual(await failure, reason)
    assert.strictEqual(reason.stack, stack)
  })
})

describe("an error on the console", () => {
  it("given a PetstoreError, when it is printed, then it reads as an error: name, message, the caller, code and details", async () => {
    const petstore = await createPetstore()
    async function shop(): Promise<void> {
      const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
      const tom = await petstore.pets.create({ name: "Tom", categoryId })
      await petstore.orders.place({ petId: tom.id, quantity: 2 })
    }
    const lines = inspect(await caught(shop)).split("\n")
    assert.strictEqual(
      lines[0],
      "InsufficientStock: Pet 1 has 1 free unit(s), 2 requested. Order fewer, or restock it."
    )
    assert.match(lines[1] ?? "", /^ {4}at (?:async )?shop \(.*callerStack\.test\.ts:/)
    const fields = lines.slice(lines.findIndex((line) => line.endsWith(" {"))).join("\n")
    assert.include(fields, "details: { petId: 1, requested: 2, available: 1 }")
    assert.include(fields, "code: 'insufficient_stock'")
    assert.include(fields, "status: 409")
  })

  it("given a failure with a cause, when it is printed, then the cause is printed with its stack", () => {
    const text = inspect(new InternalError({}, { cause: new Error("disk I/O error") }))
    assert.match(
      text,
      /^InternalError: Internal error\. Nothing was changed\. The log has the cause\.\n {4}at .*\[cause\]: Error: disk I\/O error\n {6,}at /s
    )
  })
})
