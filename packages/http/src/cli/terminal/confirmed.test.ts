import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { confirmed } from "./confirmed.ts"

/** A terminal, or a pipe, in which somebody types. */
const typing = (text: string, isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  input.write(text)
  let shown = ""
  output.on("data", (chunk) => {
    shown += chunk
  })
  return { input, output, shown: () => shown }
}

describe("what cannot be undone", () => {
  for (const [answer, goesOn] of [
    ["y", true],
    ["YES", true],
    ["", false],
    ["n", false]
  ] as const) {
    it.effect(
      `given a terminal, when somebody answers ${JSON.stringify(answer)}, then it ${goesOn ? "is" : "is not"} done`,
      () =>
        Effect.gen(function* () {
          const terminal = typing(`${answer}\n`, true)
          const problem = yield* confirmed("Delete it?", false, terminal).pipe(
            Effect.as(undefined),
            Effect.catchTag("SubcommandFailed", ({ message }) => Effect.succeed(message))
          )
          assert.strictEqual(problem, goesOn ? undefined : "Nothing was changed")
          assert.include(terminal.shown(), "Delete it? [y/N] ")
        })
    )
  }

  it.effect("given --yes or a pipe, then nobody is asked", () =>
    Effect.gen(function* () {
      for (const [yes, isTTY] of [
        [true, true],
        [false, false]
      ] as const) {
        const terminal = typing("", isTTY)
        yield* confirmed("Delete it?", yes, terminal)
        assert.strictEqual(terminal.shown(), "")
      }
    })
  )
})
