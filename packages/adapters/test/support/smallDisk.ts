import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFile } from "./temporary.ts"

/** A folder on a disk of so many megabytes; undefined if this process may not mount one. */
export const diskOf = (megabytes: number): Effect.Effect<string | undefined, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(temporaryFile, (file) => {
      const folder = `${dirname(file)}/disk`
      mkdirSync(folder)
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" })
        return folder
      } catch {
        return undefined
      }
    }),
    (folder) => Effect.sync(() => folder !== undefined && execFileSync("umount", ["--lazy", folder]))
  )

/** A folder on a disk of 2 MB; undefined if this process may not mount one. */
export const smallDisk = diskOf(2)
