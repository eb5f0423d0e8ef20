import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { memoryFolder } from "../../../packages/adapters/test/support/memoryFolder.ts"

/** The path of a file that does not exist yet, in a new folder that is removed with the scope. */
export const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(memoryFolder(), "petstore-sync-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "petstore.db")
)
