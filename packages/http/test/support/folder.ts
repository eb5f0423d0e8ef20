import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** A folder of its own for a test, removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "petstore-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)
