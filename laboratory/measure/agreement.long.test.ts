import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFileInMemory } from "../../packages/adapters/test/support/temporary.ts"
import { root } from "../../packages/test/support/workspace.ts"
import { installTools } from "../../scripts/tools.ts"
import { httpComparisons } from "./http/comparisons.ts"
import { prepareSyncDelay } from "./machine/syncDelay.ts"

describe("given the servers of the benchmark", () => {
  it.effect("when they serve the same shop, then they respond alike and write the same rows", () =>
    Effect.gen(function* () {
      const shared = dirname(yield* temporaryFileInMemory)
      yield* Effect.promise(() => promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: root }))
      yield* Effect.promise(() => installTools("laboratory/measure/peers"))
      for (const { check, sides } of httpComparisons) {
        const folder = mkdtempSync(join(shared, "comparison-"))
        const database = () => Promise.reject(new Error("Servers use none"))
        const context = { folder, shared, syncDelay: prepareSyncDelay(folder), isQuick: true, database }
        const running = yield* Effect.forEach(sides, ({ open }) =>
          Effect.acquireRelease(
            Effect.promise(() => open(context)),
            ({ close }) => Effect.promise(close)
          )
        )
        yield* Effect.promise(() => Promise.resolve(check?.(running, context)))
      }
    })
  )
})
