import { chmodSync, chownSync, type Stats, statSync } from "node:fs"

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
