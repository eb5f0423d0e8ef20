import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { OpenCalls } from "./OpenCalls.ts"

describe("given a call whose signal aborts before it returns", () => {
  const outcome = (kind: "joined" | "unlessClosed") => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const controller = new AbortController()
    const exit = new OpenCalls(Context.empty())[kind](
      Effect.promise(() => promise),
      { signal: controller.signal }
    )
    controller.abort()
    resolve(7)
    return exit
  }

  it("when it is in a host transaction, then its outcome counts", async () => {
    assert.deepStrictEqual(await outcome("joined"), Exit.succeed(7))
  })

  it("when it is in none, then it is cancelled", async () => {
    assert.isTrue(Exit.hasInterrupts(await outcome("unlessClosed")))
  })
})
