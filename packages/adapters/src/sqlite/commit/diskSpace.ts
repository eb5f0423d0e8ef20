import { randomUUID } from "node:crypto"
import { closeSync, openSync, realpathSync, rmSync, statSync, writeSync } from "node:fs"
import { constants } from "node:os"

const noSpace: ReadonlySet<unknown> = new Set(["EFBIG", "ENOSPC"])

/** Whether a write failed because the disk, a quota or the size of the file is at its limit. Node.js has no name for EDQUOT. */
export const isNoSpace = (cause: unknown): boolean =>
  cause instanceof Error &&
  (("code" in cause && noSpace.has(cause.code)) || ("errno" in cause && cause.errno === -constants.errno.EDQUOT))

const tryToRemove = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder cannot be used any more.
  }
}

/**
 * Whether the write-ahead log of a database can grow by this number of bytes. SQLite has one error for a broken disk, a quota and a
 * limit of the size of files; the system has several, which a write to another file at the same place shows.
 */
export const hasDiskSpace = (file: string, bytes = 4096): boolean => {
  const trial = `${file}.${randomUUID()}.trial`
  try {
    const descriptor = openSync(trial, "wx", 0o600)
    try {
      const { size } = statSync(`${realpathSync(file)}-wal`)
      return writeSync(descriptor, new Uint8Array(bytes), 0, bytes, size) === bytes
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    return !isNoSpace(cause)
  } finally {
    tryToRemove(trial)
  }
}
