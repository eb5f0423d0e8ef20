import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync
} from "node:fs"
import { basename, dirname } from "node:path"
import process from "node:process"
import { first } from "../../sql/Program.ts"
import type { Connection } from "./Connection.ts"

/** Bytes at the beginning of the log, and at the beginning of each page in it. */
const logHeaderBytes = 32
const pageHeaderBytes = 24
/** Where the log has a number that differs each time it begins anew. */
const saltPlace = 16
/** At most this many looks at sizes rely on one count of pages, of which the log has fewer than {@link manyPages}. */
const looksPerCount = 8
/** Pages in the log from which on they are counted each time: it is about to be moved. */
const manyPages = 3_000

const pagesOfLog = first(
  "PRAGMA wal_checkpoint(NOOP)",
  (row: { readonly log: number; readonly checkpointed: number }) => row
)

/**
 * Counts the pages in the log, and those of them that are in the database. Throws if the connection could open the log for reading
 * only, which it does not try again. Undefined in a transaction, because SQLite does not count then.
 */
const countedBy = (connection: Connection) =>
  connection.inTransaction ? undefined : connection.perform(pagesOfLog, [])

/**
 * The file systems, by the numbers that Linux has for them, in which the time of a folder changes with each entry that is added,
 * removed, moved or replaced: ext, XFS, btrfs, tmpfs and overlayfs. Others may be remote, and keep what they know for seconds.
 */
const fileSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630])

/** Milliseconds after which a further change of a folder has another time, even where times are whole seconds. */
const resolutionMillis = 2_500

/** Milliseconds for which a time is relied on: it does not show another file system that was mounted on an entry. */
const relianceMillis = 1_000

/** For looks at a file that may be gone. */
const mayBeMissing = { throwIfNoEntry: false } as const

/** What a folder shows of its entries: as long as its time has not changed, they are the same files. One look is cheaper than one at each. */
export class FolderTime {
  private readonly path: string
  private readonly now: () => number
  private device = 0
  private node = 0
  /** The time that it had when its entries were looked at; undefined if that has to be done again. */
  private time: number | undefined
  /** When its entries were looked at. */
  private lookedAt = 0

  private constructor(path: string, now: () => number) {
    this.path = path
    this.now = now
  }

  /** The folder of a file; undefined if its file system is none of those in which this is known to work. */
  static of(file: string, now: () => number): FolderTime | undefined {
    const path = dirname(file)
    try {
      return process.platform === "linux" && fileSystems.has(statfsSync(path).type)
        ? new FolderTime(path, now)
        : undefined
    } catch {
      return undefined
    }
  }

  /**
   * Whether no entry has changed since the call that returned false before. If this returns false, as it does once a second and
   * after the clock was set back, the caller looks at the entries, and calls `forget` if something is wrong.
   */
  isUnchanged(): boolean {
    const entry = statSync(this.path, mayBeMissing)
    if (entry === undefined) {
      this.time = undefined
      return false
    }
    const { ctimeMs, dev, ino } = entry
    const now = this.now()
    const age = now - this.lookedAt
    const isRecent = age >= 0 && age < relianceMillis
    if (isRecent && ctimeMs === this.time && ino === this.node && dev === this.device) return true
    this.lookedAt = now
    // Another change within the resolution of the file system would not be seen.
    this.time = now - ctimeMs > resolutionMillis ? ctimeMs : undefined
    this.node = ino
    this.device = dev
    return false
  }

  /** Lets the next call of `isUnchanged` return false. */
  forget(): void {
    this.time = undefined
  }
}

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
  /** The last number that was read of the log. */
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
  /** The salt of the log whose pages were counted. */
  private salt = 0
  /** How many bytes the log had when its pages were counted, which may be more than these have. */
  private logSize = 0
  /** Looks since the pages were counted. */
  private looks = 0
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
    return this.check(() => this.lookAtSizes() ?? this.lookAfterCommit())
  }

  /**
   * The part of {@link problem} that shows at the beginning of a transaction what the transaction would write over. `isAlone`: whether no
   * other connection has committed since the last look.
   */
  problemOfSizes(isAlone = false): Error | undefined {
    return this.check(isAlone ? this.lookAtKnownSizes : this.lookAtSizes)
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

  private lookAtSizes(): Error | undefined {
    this.countPages()
    return (this.logSize < this.logEnd ? this.lookAtEachPage() : undefined) ?? this.lookAtDatabase()
  }

  /** SQLite writes over what the log had before. As long as it does, and the log keeps its size, nothing was cut off, and no page is counted. */
  private lookAtKnownSizes(): Error | undefined {
    const isKnown = this.looks < looksPerCount && this.pages < manyPages && this.keepsLogSize
    if (!isKnown) return this.lookAtSizes()
    this.looks++
    return this.lookAtDatabase()
  }

  private lookAtDatabase(): Error | undefined {
    const stats = statSync(this.database, mayBeMissing)
    // It may be back where it was by the next look.
    if (stats === undefined) return this.lookAtPaths()
    if (stats.size < this.size) return this.lookAtShortDatabase(stats.size)
    this.size = stats.size
  }

  private countPages(): void {
    const counted = countedBy(this.reader) ?? countedBy(this.writer)
    this.logSize = fstatSync(this.log).size
    if (counted === undefined) return
    this.pages = counted.log
    this.unmoved = counted.log - counted.checkpointed
    this.salt = this.numberAt(saltPlace)
    this.looks = 0
  }

  /** Where a page of the log begins; the first one has the number 1. */
  private placeOf(page: number): number {
    return logHeaderBytes + (page - 1) * (pageHeaderBytes + this.pageSize)
  }

  /** Where the pages that were counted end. */
  private get logEnd(): number {
    return this.pages === 0 ? 0 : this.placeOf(this.pages + 1)
  }

  private get keepsLogSize(): boolean {
    return this.logSize > 0 && readSync(this.log, this.number, 0, 2, this.logSize - 1) === 1
  }

  /** Whether the log has the number of a page, and not the zeros of a gap. */
  private hasPage(page: number): boolean {
    return this.numberAt(this.placeOf(page)) !== 0
  }

  /** A number in the log; 0 if it ends before. */
  private numberAt(place: number): number {
    return readSync(this.log, this.number, 0, 4, place) === 4 ? (this.number[0] ?? 0) : 0
  }

  /** Another process may have emptied the log while it was looked at, as SQLite does. `known`: how many of its pages are there for sure. */
  private lookAtEachPage(known = 0): Error | undefined {
    if (this.isLogWhole(known) || this.isLogWhole()) return undefined
    return this.lose(`${this.database}-wal`)
  }

  private isLogWhole(known = 0): boolean {
    this.countPages()
    if (this.logSize < this.logEnd) return false
    const first = known <= this.pages ? known + 1 : 1
    for (let page = first; page <= this.pages; page++) if (!this.hasPage(page)) return false
    return true
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
    return problem ?? this.lookAtLog()
  }

  private lookAtPaths(): Error | undefined {
    for (const [path, look, opened] of this.opened) {
      const stats = look(path, { ...mayBeMissing, bigint: true })
      if (stats === undefined) return this.problemWith(path, "was deleted or moved away")
      // With `statSync`, of the file that a link leads to.
      if (stats.ino !== opened.ino || stats.dev !== opened.dev)
        return this.problemWith(path, "was replaced by another file")
    }
  }

  /**
   * Looks for a gap: each connection goes on behind what it has written. After a count, the page that was the last one before the commit
   * shows it; otherwise the log could have been cut off behind that one, and the commit has written beyond its old end.
   */
  private lookAtLog(): Error | undefined {
    const keepsPages = this.pages === 0 || this.hasPage(this.pages)
    if (keepsPages && (this.looks === 0 || this.keepsLogSize)) return undefined
    // A cut before the last one of them would have left a gap there, unless the commit has begun the log anew. One that grows is not read from
    // its beginning each time.
    return this.lookAtEachPage(keepsPages && this.numberAt(saltPlace) === this.salt ? this.pages : 0)
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
