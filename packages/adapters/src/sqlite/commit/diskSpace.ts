import { randomUUID } from "node:crypto"
import { closeSync, openSync, realpathSync, rmSync, statSync, writeSync } from "node:fs"
import { constants } from "node:os"

const noRoom: ReadonlySet<unknown> = new Set(["EFBIG", "ENOSPC"])

/** Whether a write failed for want of room. Node.js has no name for a quota that is used up, only its number. */
export const isNoSpace = (cause: unknown): boolean =>
  cause instanceof Error &&
  (("code" in cause && noRoom.has(cause.code)) || ("errno" in cause && cause.errno === -constants.errno.EDQUOT))

/**
 * Whether the write-ahead log of a database may grow. SQLite has one answer for a broken disk, for a quota and for a limit of
 * the size of files; the system tells them apart when a file beside the log is written to at the same place.
 */
export const hasDiskSpace = (file: string): boolean => {
  const trial = `${file}.${randomUUID()}.trial`
  try {
    const descriptor = openSync(trial, "wx", 0o600)
    try {
      writeSync(descriptor, new Uint8Array(4096), 0, 4096, statSync(`${realpathSync(file)}-wal`).size)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch (cause) {
    return !isNoSpace(cause)
  } finally {
    rmSync(trial, { force: true })
  }
}
