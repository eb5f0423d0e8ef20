import { type BigIntStats, closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { basename } from "node:path"
import process from "node:process"
import type { Connection } from "./Connection.ts"
import { FolderTime, mayBeMissing } from "./FolderTime.ts"

/** Bytes at the beginning of the log, and at the beginning of each page in it. */
const logHeader = 32
const pageHeader = 24

/**
 * Counts the pages in the log, and those of them that are in the database. Throws if the connection could open the log for reading
 * only, which it does not try again. Undefined in a transaction, because SQLite does not count then.
 */
const countedBy = (connection: Connection) =>
  connection.inTransaction ? undefined : connection.prepare("PRAGMA wal_checkpoint(NOOP)").get()

/** The files of stores that are open. */
const open = new Set<DatabaseFiles>()

/** Runs when the process ends: Node.js then closes the connections that are still open. */
const closeAll = (): void => {
  for (const files of open) files.close()
}

/**
 * The files of a database that can be lost while it is open: the database itself, its write-ahead log and that log's index. They are
 * lost if they are deleted, moved, replaced, emptied or shortened, which no other program may do. No method throws: files that cannot
 * be looked at are a problem as well.
 */
export class DatabaseFiles {
  /** Whether the last look found a problem. */
  areLost = false
  /** The path of the database, without links. */
  readonly database: string
  private readonly writer: Connection
  private readonly reader: Connection
  private readonly opened: ReadonlyArray<readonly [path: string, look: typeof statSync, identity: BigIntStats]>
  private readonly log: number
  /** The last number that was read of a page in the log. */
  private readonly number = new Int32Array(1)
  private readonly pageSize: number
  /** Whether SQLite shortens the database when rows are deleted. */
  private readonly shrinks: boolean
  /** Undefined if it does not show whether a file was deleted, moved or replaced. */
  private readonly folder: FolderTime | undefined
  /** How many bytes the database had at the last look. */
  private size: number
  private pages = 0
  private unmoved = 0
  /** What was lost from a file, which does not come back while it is open. */
  private loss: Error | undefined

  /**
   * `writer` and `reader`: connections to the file, which is in WAL mode and which both have read from. `now`: the time of the system.
   * Throws if a file is missing, or if a connection cannot write to the log.
   */
  constructor(file: string, writer: Connection, reader: Connection, now: () => number = Date.now) {
    const real = realpathSync(file)
    this.database = real
    this.writer = writer
    this.reader = reader
    const log = `${real}-wal`
    const isLinked = real !== file
    // The entries of another folder, or a link on the way, say nothing about the log.
    this.folder = isLinked ? undefined : FolderTime.of(file, now)
    // A link may change as long as it leads to the same file. One that takes the place of a file leads to what is in another folder.
    this.opened = [
      ...[real, log, `${real}-shm`].map((path) => [path, lstatSync, lstatSync(path, { bigint: true })] as const),
      ...(isLinked ? [[file, statSync, statSync(file, { bigint: true })] as const] : [])
    ]
    this.size = statSync(real).size
    this.pageSize = this.read("page_size")
    this.shrinks = this.read("auto_vacuum") !== 0
    countedBy(writer)
    countedBy(reader)
    this.log = openSync(log, "r")
    if (open.size === 0) process.on("exit", closeAll)
    open.add(this)
  }

  /** Why writes would be lost; undefined if all is well. */
  problem(): Error | undefined {
    return this.check(this.lookAtAll)
  }

  /** The part of {@link problem} that shows at the beginning of a transaction what the transaction would write over. */
  problemOfSizes(): Error | undefined {
    return this.check(this.lookAtSizes)
  }

  /** The part of {@link problem} that shows after a commit whether the commit is lost. */
  problemAfterCommit(): Error | undefined {
    return this.check(this.lookAfterCommit)
  }

  /** How many pages the log had at the last look at sizes, and how many of them were not in the database yet. */
  get pagesInLog(): { readonly all: number; readonly unmoved: number } {
    return { all: this.pages, unmoved: this.unmoved }
  }

  /**
   * Ends the looks. After a loss it closes the writer: the last connection to close moves the log, which is not whole, over the pages
   * of the database. The reader is still open, and moves nothing.
   */
  close(): void {
    if (!open.delete(this)) return
    if (open.size === 0) process.off("exit", closeAll)
    if (this.problem() !== undefined && this.writer.database.isOpen) this.writer.database.close()
    try {
      closeSync(this.log)
    } catch {
      // Nothing was written to it.
    }
  }

  private check(look: (this: this) => Error | undefined): Error | undefined {
    let problem = this.loss
    try {
      problem ??= look.call(this)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : cause
      const message = `The files of ${this.database} cannot be checked: ${reason}. Writing works again when they can be.`
      problem = new Error(message, { cause })
    }
    this.areLost = problem !== undefined
    if (this.areLost) this.folder?.forget()
    return problem
  }

  private lookAtAll(): Error | undefined {
    return this.lookAtSizes() ?? this.lookAfterCommit()
  }

  private lookAtSizes(): Error | undefined {
    this.countPages()
    if (this.isLogShort) {
      // Another process may have emptied the log between the two, as SQLite does.
      this.countPages()
      if (this.isLogShort) return this.lose(`${this.database}-wal`)
    }
    const found = statSync(this.database, mayBeMissing)
    // It may be back where it was by the next look.
    if (found === undefined) return this.lookAtPaths()
    if (found.size < this.size) return this.lookAtShortDatabase(found.size)
    this.size = found.size
  }

  private countPages(): void {
    const counted = countedBy(this.reader) ?? countedBy(this.writer)
    if (counted === undefined) return
    this.pages = Number(counted.log)
    this.unmoved = this.pages - Number(counted.checkpointed)
  }

  /** Where the page begins that was the last one in the log. */
  private get lastPage(): number {
    return logHeader + (this.pages - 1) * (pageHeader + this.pageSize)
  }

  private get isLogShort(): boolean {
    const end = this.lastPage + pageHeader + this.pageSize
    return this.pages > 0 && readSync(this.log, this.number, 0, 1, end - 1) === 0
  }

  /** SQLite shortens the database to its pages. Those may be more again, so that the database is too short until they are moved there. */
  private lookAtShortDatabase(size: number): Error | undefined {
    const problem = this.lookAtPaths()
    if (problem !== undefined) return problem
    const isShortened = size === 0 || (!this.shrinks && size < this.read("page_count") * this.pageSize)
    if (isShortened) return this.lose(this.database)
    this.size = size
  }

  private lookAfterCommit(): Error | undefined {
    const problem = this.folder?.isUnchanged() === true ? undefined : this.lookAtPaths()
    return problem ?? this.lookAtLastPage()
  }

  private lookAtPaths(): Error | undefined {
    for (const [path, look, opened] of this.opened) {
      const found = look(path, { ...mayBeMissing, bigint: true })
      if (found === undefined) return this.problemWith(path, "was deleted or moved away")
      // With `statSync`, of the file that a link leads to.
      if (found.ino !== opened.ino || found.dev !== opened.dev)
        return this.problemWith(path, "was replaced by another file")
    }
  }

  /** Looks at the number of the page that was the last one in the log before the commit. */
  private lookAtLastPage(): Error | undefined {
    if (this.pages === 0) return undefined
    // The log was shortened after it was written to, perhaps by SQLite.
    if (readSync(this.log, this.number, 0, 4, this.lastPage) < 4) return this.lookAtSizes()
    // It was shortened before: each connection goes on behind what it has written.
    if (this.number[0] === 0) return this.lose(`${this.database}-wal`)
  }

  private read(pragma: "auto_vacuum" | "page_count" | "page_size"): number {
    return Number(this.reader.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
  }

  private lose(path: string): Error {
    this.loss = this.problemWith(path, "was emptied or shortened by another program")
    return this.loss
  }

  private problemWith(path: string, what: string): Error {
    const name = basename(this.opened[0]?.[0] ?? "")
    return new Error(
      `${path} ${what} while it was open. Stop every process that uses ${name}, put the right file in its place (for a backup without the -wal and -shm files of the old one), and start again.`
    )
  }
}
