import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { memoryFolder } from "./memoryFolder.ts"

const fileIn = (folder: () => string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(folder(), "petstore-"))),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    ),
    (directory) => join(directory, "petstore.db")
  )

/** The path of a database file that does not exist yet, in a directory of its own that goes with the scope. */
export const temporaryFile = fileIn(tmpdir)

/** The same in memory, if the machine has room: for tests that are not about the disk, which wait for its syncs otherwise. */
export const temporaryFileInMemory = fileIn(memoryFolder)
