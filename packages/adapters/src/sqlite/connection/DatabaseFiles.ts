import { realpathSync, statSync } from "node:fs"
import { basename } from "node:path"

/** Which file a path leads to; undefined if there is none. */
const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/**
 * The files that a connection has open: the database, its log and the index of the log. All three stay the same for as long as
 * any connection is open, so a path that leads elsewhere means that somebody has deleted or replaced one, and that what is
 * written goes where nobody will find it.
 */
export class DatabaseFiles {
  private readonly opened: ReadonlyArray<readonly [path: string, identity: string | undefined]>

  /** `file`: the database, which a connection has open in WAL mode and has read from. */
  constructor(file: string) {
    const real = realpathSync(file)
    this.opened = [file, `${real}-wal`, `${real}-shm`].map((path) => [path, identityOf(path)])
  }

  /** Why what is written would be lost; undefined while all is well. It costs a few microseconds. */
  problem(): Error | undefined {
    for (const [path, identity] of this.opened) {
      const now = identityOf(path)
      if (now === identity) continue
      const what = now === undefined ? "was deleted or moved away" : "was replaced by another file"
      return new Error(
        `${path} ${what} while it was open. Stop every process that uses ${basename(this.opened[0]?.[0] ?? "")}, put the right file in its place (for a backup without the -wal and -shm files of the old one), and start again.`
      )
    }
  }
}
