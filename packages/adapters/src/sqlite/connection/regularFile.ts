import { chmodSync, chownSync, constants, lstatSync, openSync, type Stats, statSync } from "node:fs"

/** What is in the place of a file, with its article; undefined for a file, and if nothing is there. */
export const otherKind = (stats: Stats | undefined): string | undefined => {
  if (stats === undefined || stats.isFile()) return undefined
  if (stats.isDirectory()) return "a folder"
  if (stats.isSymbolicLink()) return "a link"
  if (stats.isFIFO()) return "a pipe"
  return stats.isSocket() ? "a socket" : "a device"
}

/** Opens a file beside a database. Throws if something else is there: a link may lead anywhere, and a pipe would make the process wait. */
export const openRegularFile = (path: string, flags: number, mode?: number): number => {
  const kind = otherKind(lstatSync(path, { throwIfNoEntry: false }))
  if (kind !== undefined) throw new Error(`${path} is ${kind}, not a file`)
  // Something else may be there by now.
  return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode)
}

/**
 * Gives a file that this process has created beside a database the owner, the group and these permissions, as SQLite does with its own: root
 * may use the database of a service, which must be able to start again. The umask limits the permissions of what is created.
 */
export const shareFile = (path: string, database: Pick<Stats, "gid" | "uid">, mode: number): void => {
  chmodSync(path, mode)
  const { gid, uid } = statSync(path)
  if (uid === database.uid && gid === database.gid) return
  try {
    chownSync(path, database.uid, database.gid)
  } catch {
    // Only root may do that.
  }
}
