import { assert } from "@effect/vitest"
import { createPetstore, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import { startProgram } from "./program.ts"

/** Kills two processes that sell and remove events of one store, again and again, and verifies what they leave. */
export const killTrimmers = Effect.fnUntraced(function* (
  kind: "sqlite" | "postgres",
  place: string,
  open: () => StorageAdapter
) {
  let before = 0
  for (const removals of [1, 12]) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([
          startProgram("sell-and-trim", kind, place),
          startProgram("sell-and-trim", kind, place)
        ])
        for (const { line } of [one, other]) assert.strictEqual(yield* line, "started")
        for (let seen = 0; seen < removals; seen++) assert.isDefined(yield* one.line, "it has ended")
        for (const { exit, process } of [one, other]) {
          process.kill("SIGKILL")
          assert.strictEqual(yield* exit, "SIGKILL")
        }
      })
    )
    yield* Effect.acquireUseRelease(
      Effect.promise(() => createPetstore({ storage: open() })),
      (petstore) =>
        Effect.promise(async () => {
          const { checks } = await petstore.verify()
          assert.deepStrictEqual(
            checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])),
            []
          )
          const { earliest, trimmed } = await petstore.retention()
          assert.strictEqual(trimmed?.seq, earliest - 1)
          assert.isAbove(earliest, before)
          before = earliest
        }),
      (petstore) => Effect.promise(() => petstore.close())
    )
  }
})
