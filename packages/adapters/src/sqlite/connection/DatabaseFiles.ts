import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { basename } from "node:path"
import { FolderTime } from "./FolderTime.ts"

/** Identifies what a look finds at a path: with `statSync`, the file that a link leads to. Undefined if there is none. */
const identityOf = (path: string, look: typeof statSync): string | undefined => {
  const found = look(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/** The files of a database that can be lost while it is open: the database itself, its write-ahead log and that log's index. */
export class DatabaseFiles {
  /** The path of the database, without links. */
  readonly database: string
  private readonly opened: ReadonlyArray<readonly [path: string, look: typeof statSync, identity: string | undefined]>
  private readonly log: number
  private readonly logHeader = new Uint8Array(4)
  /** Undefined if it does not show whether a file was deleted, moved or replaced. */
  private readonly folder: FolderTime | undefined
  private hasProblem = false

  /** `file`: the database, which a connection has open in WAL mode and has read from. `now`: the time of the system. */
  constructor(file: string, now: () => number = Date.now) {
    const real = realpathSync(file)
    this.database = real
    const log = `${real}-wal`
    const isLinked = real !== file
    // The entries of another folder, or a link on the way, say nothing about the log.
    this.folder = isLinked ? undefined : FolderTime.of(file, now)
    // A link may change as long as it leads to the same file. One that takes the place of a file leads to what is in another folder.
    this.opened = [
      ...[real, log, `${real}-shm`].map((path) => [path, lstatSync, identityOf(path, lstatSync)] as const),
      ...(isLinked ? [[file, statSync, identityOf(file, statSync)] as const] : [])
    ]
    this.log = openSync(log, "r")
  }

  /**
   * Why writes would be lost: a file was deleted, moved, replaced or emptied, which no program may do while any connection
   * is open. Undefined if all is well. It costs a few microseconds.
   */
  problem(): Error | undefined {
    const problem = this.look()
    this.hasProblem = problem !== undefined
    return problem
  }

  /** Whether the last call of `problem` found one. */
  get areLost(): boolean {
    return this.hasProblem
  }

  private look(): Error | undefined {
    const problem = this.folder?.isUnchanged() === true ? undefined : this.lookAtPaths()
    if (problem !== undefined) {
      this.folder?.forget()
      return problem
    }
    if (this.isLogHollow) return this.problemWith(`${this.opened[1]?.[0]}`, "was emptied by another program")
  }

  private lookAtPaths(): Error | undefined {
    for (const [path, look, identity] of this.opened) {
      const now = identityOf(path, look)
      if (now !== identity) {
        return this.problemWith(path, now === undefined ? "was deleted or moved away" : "was replaced by another file")
      }
    }
  }

  /** Whether the log was emptied in place and written to since: each connection goes on behind what it has written before. */
  private get isLogHollow(): boolean {
    const isRead = readSync(this.log, this.logHeader, 0, 4, 0) === 4
    return isRead && this.logHeader.every((byte) => byte === 0)
  }

  private problemWith(path: string, what: string): Error {
    const name = basename(`${this.opened[0]?.[0]}`)
    return new Error(
      `${path} ${what} while it was open. Stop every process that uses ${name}, put the right file in its place (for a backup without the -wal and -shm files of the old one), and start again.`
    )
  }

  close(): void {
    closeSync(this.log)
  }
}
