import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { memoryFolder } from "../../../packages/adapters/test/support/memoryFolder.ts"

/**
 * What a sync to disk costs decides how fast writes are, and it differs by a factor of 100 between machines. So the files of
 * the benchmarks are in memory, where a sync costs next to nothing, and a library in front of `fsync` and `fdatasync` adds
 * a delay to each.
 */
export interface SyncDelay {
  /** The environment of a process whose syncs take so many milliseconds; undefined if that is not possible here. */
  readonly environment: (milliseconds: number) => Record<string, string> | undefined
}

/** Compiles the library into a folder of the benchmark. Without Linux and a C compiler, delays other than 0 are not possible. */
export const prepareSyncDelay = (scratch: string): SyncDelay => {
  const isInMemory = memoryFolder() !== tmpdir()
  const library = join(scratch, "sync_delay.so")
  const source = fileURLToPath(new URL("sync_delay.c", import.meta.url))
  const compiled =
    process.platform === "linux" &&
    spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { stdio: "ignore" }).status === 0
  return {
    environment: (milliseconds) => {
      if (milliseconds === 0) return {}
      if (!compiled || !isInMemory) return undefined
      return { LD_PRELOAD: library, SYNC_DELAY_MICROSECONDS: String(milliseconds * 1_000) }
    }
  }
}
