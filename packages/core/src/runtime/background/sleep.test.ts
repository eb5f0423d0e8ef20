import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { timer } from "./sleep.ts"

const keepAlive = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length

describe("a timer", () => {
  it("given a process with nothing else to do, then it lets it exit", async () => {
    const before = keepAlive()
    const fiber = Effect.runFork(timer(60_000))
    assert.strictEqual(keepAlive(), before)
    await Effect.runPromise(Fiber.interrupt(fiber))
  })
})
