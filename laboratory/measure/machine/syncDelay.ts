import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * What a sync to disk costs decides how fast writes are, and it differs by a factor of 100 between machines. So the files of
 * the benchmarks are in memory, where a sync costs next to nothing, and a library in front of `fsync` and `fdatasync` adds
 * a delay to each.
 */
export interface SyncDelay {
  /** Whether files are in memory rather than on the disk. */
  readonly inMemory: boolean
  /** The environment of a process whose syncs take so many milliseconds; undefined if that is not possible here. */
  readonly environment: (milliseconds: number) => Record<string, string> | undefined
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Where the files of a benchmark are. */
export const scratchFolder = (): { readonly folder: string; readonly inMemory: boolean } => {
  const inMemory = process.platform === "linux" && isWritable("/dev/shm")
  return { folder: inMemory ? "/dev/shm" : tmpdir(), inMemory }
}

/** Compiles the library into a folder of the benchmark. Without Linux and a C compiler, delays other than 0 are not possible. */
export const prepareSyncDelay = (scratch: string): SyncDelay => {
  const { inMemory } = scratchFolder()
  const library = join(scratch, "sync_delay.so")
  const source = fileURLToPath(new URL("sync_delay.c", import.meta.url))
  const compiled =
    process.platform === "linux" &&
    spawnSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], { stdio: "ignore" }).status === 0
  return {
    inMemory,
    environment: (milliseconds) => {
      if (milliseconds === 0) return {}
      if (!compiled || !inMemory) return undefined
      return { LD_PRELOAD: library, SYNC_DELAY_MICROSECONDS: String(milliseconds * 1_000) }
    }
  }
}
