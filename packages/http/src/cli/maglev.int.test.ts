import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const program = fileURLToPath(new URL("../../test/programs/maglev.ts", import.meta.url))

/** Whether Maglev has compiled a busy function. */
const isUsed = (flags: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(process.execPath, [...flags, program, ...args])).pipe(
    Effect.map(({ stdout }) => stdout.trim() === "true")
  )

describe("the compiler Maglev of a server", () => {
  it.effect("given a busy function, then it is not compiled by Maglev, and would be", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* isUsed([], "disable"))
      assert.isTrue(yield* isUsed(["--maglev"]))
    })
  )

  it.effect("given that the operator has turned Maglev on, then it is used", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isUsed(["--maglev"], "disable"))
    })
  )
})
