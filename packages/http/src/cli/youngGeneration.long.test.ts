import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const program = fileURLToPath(new URL("../../test/programs/youngGeneration.ts", import.meta.url))
const mebibyte = 2 ** 20

/** The bytes of the young generation after many objects have outlived collections. */
const grown = (args: ReadonlyArray<string>, options = "") =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, NODE_OPTIONS: options } })
  ).pipe(Effect.map(({ stdout }) => Number(stdout)))

describe("the young generation of a server", () => {
  it.effect("given objects that outlive collections, then it stays at 16 MiB, and would grow beyond", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* grown(["limit"]), 16 * mebibyte)
      // How far depends on how fast it collects: 32 MiB or 128.
      assert.isAbove(yield* grown([]), 16 * mebibyte)
    })
  )

  it.effect("given that V8 has shrunk it, then it grows to 16 MiB again", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* grown(["limit", "shrink"]), 16 * mebibyte)
    })
  )

  it.effect(
    "given that V8 has shrunk it, and much outlives one turn of the event loop, then it is no larger than 16 MiB",
    () =>
      Effect.gen(function* () {
        assert.isAtMost(yield* grown(["limit", "shrink", "burst"]), 16 * mebibyte)
      })
  )

  it.effect("given that the operator has set its size, then it has that", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* grown(["limit"], "--max-semi-space-size=4"), 8 * mebibyte)
      assert.isAbove(yield* grown(["limit"], "--max_semi_space_size=32"), 16 * mebibyte)
    })
  )
})
