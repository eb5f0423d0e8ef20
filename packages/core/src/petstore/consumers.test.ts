import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withRows } from "../../test/support/withRows.ts"
import { assertRejects } from "../../testing/src/assertRejects.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { createPetstore } from "./createPetstore.ts"

const events = 300

/** How many fibers and timers there are to make one consumer handle many events. */
const costOf = async (handler: (signal: () => AbortSignal) => unknown) => {
  await using petstore = await createPetstore({ storage: memory() })
  for (let number = 0; number < events; number++) await petstore.categories.create({ name: `C${number}` })
  const fiberId = () => Effect.runSync(Effect.withFiber(({ id }) => Effect.succeed(id)))
  const timers = vi.spyOn(globalThis, "setTimeout")
  const firstFiber = fiberId()
  let handled = 0
  try {
    await new Promise<void>((resolve, reject) => {
      petstore.events
        .consume(
          "invoices",
          (_, attempt) => {
            if (++handled === events) resolve()
            return handler(() => attempt.signal)
          },
          { after: 0 }
        )
        .catch(reject)
    })
    return { fibers: fiberId() - firstFiber, timers: timers.mock.calls.length }
  } finally {
    timers.mockRestore()
  }
}

describe("given a consumer with many events", () => {
  for (const [name, handler] of [
    ["a function", () => {}],
    ["an async function", async () => {}],
    ["an async function that reads its signal", async (signal: () => AbortSignal) => signal().aborted]
  ] as const) {
    it(`when its handler is ${name}, then neither a fiber nor a timer is made for each event`, async () => {
      const { fibers, timers } = await costOf(handler)
      assert.isBelow(fibers, events / 5)
      assert.isBelow(timers, events / 10)
    })
  }

  it("when its signal aborts while it opens, then it is closed, and its handler is never called", async () => {
    const read = Promise.withResolvers<void>()
    const storage = withRows(memory(), ({ find }) => ({
      find: (...row) =>
        Effect.andThen(
          Effect.promise(() => read.promise),
          find(...row)
        )
    }))
    await using petstore = await createPetstore({ storage })
    await petstore.categories.create({ name: "Dogs" })
    const leave = new AbortController()
    let calls = 0
    const opening = petstore.events.consume("invoices", () => void calls++, { after: 0, signal: leave.signal })
    leave.abort()
    read.resolve()
    assert.strictEqual((await assertRejects(opening, DOMException)).name, "AbortError")
    await new Promise<void>((resolve, reject) => {
      petstore.events.consume("mails", () => resolve(), { after: 0 }).catch(reject)
    })
    assert.strictEqual(calls, 0)
  })

  it("when a handler reads its signal after the petstore was closed, then it is aborted", async () => {
    const petstore = await createPetstore({ storage: memory() })
    await petstore.categories.create({ name: "Dogs" })
    const late = await new Promise<() => AbortSignal>((resolve, reject) => {
      petstore.events
        .consume(
          "invoices",
          (_, attempt) => {
            resolve(() => attempt.signal)
            return new Promise(() => {})
          },
          { after: 0 }
        )
        .catch(reject)
    })
    await petstore.close()
    assert.isTrue(late().aborted)
  })
})
