import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

/** Bytes that the databases of a run may take. Containers often have 64 MB of shared memory only. */
const needed = 2 ** 31

/** A folder for temporary files in memory, or the usual one if the machine has none or little room in it. */
export const memoryFolder = (): string => {
  const folder = "/dev/shm"
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > needed ? folder : tmpdir()
  } catch {
    return tmpdir()
  }
}
