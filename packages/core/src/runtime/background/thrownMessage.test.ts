import { assert, describe, it } from "@effect/vitest"
import { testPetstore } from "@petstore/testing"

const unreadable = Object.defineProperty(new Error("Never read"), "message", {
  get: () => {
    throw new Error("A message that throws")
  }
})

/** What code of others may throw, and the message that is kept. */
const thrown: ReadonlyArray<readonly [thrown: unknown, message: string]> = [
  [undefined, "undefined"],
  ["no paper", "no paper"],
  [Symbol("no paper"), "Symbol(no paper)"],
  [new RangeError(), "RangeError"],
  [Object.assign(new Error(), { message: { code: 7 } }), "[object Object]"],
  [Object.create(null), "Something was thrown that has no message."],
  [unreadable, "Something was thrown that has no message."]
]

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    if (Date.now() > end) assert.fail("It never holds")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe("given code of others that throws anything", () => {
  it("when it handles messages, then each attempt has failed, with a message", async () => {
    await using petstore = await testPetstore({
      onMessage: ({ message }) => {
        throw thrown[Number(message)]?.[0]
      }
    })
    for (const index of thrown.keys()) await petstore.messages.enqueue(String(index))
    const failures = async () => (await petstore.messages.list()).items.map(({ lastError }) => lastError)
    await until(async () => (await failures()).every((error) => error !== undefined))
    assert.deepStrictEqual(
      await failures(),
      thrown.map(([, message]) => message)
    )
  })

  it("when it consumes events, then each is parked, and the next follows", async () => {
    await using petstore = await testPetstore()
    await petstore.events.consume(
      "invoices",
      ({ seq }) => {
        throw thrown[seq - 1]?.[0]
      },
      { parkAfter: 1, onError: () => {} }
    )
    for (const index of thrown.keys()) await petstore.categories.create({ name: `Category ${index}` })
    const parked = async () => (await petstore.events.consumers.parked("invoices")).items
    await until(async () => (await parked()).length === thrown.length)
    assert.deepStrictEqual(
      (await parked()).map(({ error }) => error),
      thrown.map(([, message]) => message)
    )
  })
})
