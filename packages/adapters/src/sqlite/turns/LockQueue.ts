import { randomInt } from "node:crypto"
import { existsSync, type FSWatcher, mkdirSync, rmdirSync, rmSync, statSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { shareFile } from "../connection/regularFile.ts"
import { type ListedProcess, now, WaitingList, wasActive } from "./WaitingList.ts"

/** Milliseconds after which a process that has not been active again neither waits nor wakes others. */
const validityMillis = 100
/** Milliseconds after which a process that has not waited again gives its place back. */
const idlenessMillis = 1_000
/** Milliseconds after which a process tries again to use a folder that could not be used. */
const retryIntervalMillis = 1_000

/** Makes a folder, and returns whether there was none. The option `recursive` tries without end if the system says ENOENT again and again. */
const makeFolder = (path: string, mode: number): boolean => {
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    if (existsSync(path)) return false
    throw error
  }
}

/** Removes a file if that is possible. */
const tryToRemove = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // The permissions of the folder have changed, or the folder was replaced.
  }
}

/** What a process in the queue holds open. */
interface Place {
  readonly index: number
  readonly list: WaitingList
  readonly wakeFile: number
  readonly watcher: FSWatcher
}

/**
 * The processes that write to a database, and since when each of them has waited for the lock, so that the one that releases it can
 * wake the one that has waited longest. SQLite has no such queue.
 *
 * They are in a folder beside the database: a list of those that wait, and for each process a file, its wake file, which it watches and
 * others write to. This only saves attempts, and the lock decides: a process that is not woken tries for it now and then, and while
 * the folder cannot be used, nobody is in the queue. Timers alone make a process wait for many turns of the others. A sync outside of the lock, for all
 * processes, would let others read and send what a power failure can undo.
 */
export class LockQueue {
  private readonly database: string
  private readonly onWake: () => void
  private readonly clock: () => number
  private place: Place | undefined
  private waitingSince = 0
  private activeAt = 0
  private usableAt = Number.NEGATIVE_INFINITY

  /**
   * `onWake` is called when it is the turn of this process: the one that has the lock is about to release it, or has just done so.
   * `clock` returns milliseconds.
   */
  constructor(database: string, onWake: () => void, clock = now) {
    this.database = database
    this.onWake = onWake
    this.clock = clock
  }

  /** Enters the queue. While it waits, a process does so again at least every 100 ms, or it is passed over. */
  enter(): void {
    this.use(() => {
      const time = this.clock()
      this.giveUpIdlePlace(time)
      if (this.waitingSince === 0) this.giveUpLostPlace()
      this.place ??= this.takePlace(time)
      this.waitingSince ||= time
      this.show(this.place, time)
    })
  }

  /** Leaves the queue. */
  leave(): void {
    if (this.waitingSince === 0) return
    this.waitingSince = 0
    const { place } = this
    if (place !== undefined) this.use(() => this.show(place, this.clock()))
  }

  /** Whether one of the others, which have just been active, will wake this process. */
  get willBeWoken(): boolean {
    return this.use(() => this.others(this.clock()).length > 0) ?? false
  }

  /** Wakes the process that has waited longest, if no more than `most` wait. Returns whether it has woken one. */
  wakeFirst(most = Number.POSITIVE_INFINITY): boolean {
    if (this.place === undefined) return false
    const hasWoken = this.use(() => {
      const time = this.clock()
      this.giveUpIdlePlace(time)
      const waiting = this.others(time).filter(({ since }) => since > 0)
      const first = waiting.toSorted((one, other) => one.since - other.since)[0]
      if (first === undefined || waiting.length > most) return false
      this.wake(first)
      return true
    })
    return hasWoken ?? false
  }

  /** Gives the place back, and removes the folder if no other process has one. */
  close(): void {
    const { place } = this
    if (place === undefined) return
    this.use(() => this.giveBack(place, this.clock()))
  }

  /** What `task` returns; undefined while the folder cannot be used. Never throws: a commit may already be durable. */
  private use<A>(task: () => A): A | undefined {
    if (this.clock() < this.usableAt) return undefined
    try {
      return task()
    } catch {
      this.usableAt = this.clock() + retryIntervalMillis
      if (this.place !== undefined) this.closePlace(this.place)
    }
  }

  private get folder(): string {
    return `${this.database}-turns`
  }

  private get listPath(): string {
    return join(this.folder, "list")
  }

  private wakeFilePath(wakeFile: number): string {
    return join(this.folder, `${wakeFile}`)
  }

  private takePlace(time: number): Place {
    const database = statSync(this.database)
    const mode = database.mode & 0o666
    const canRead = mode & 0o444
    const folderMode = mode | (canRead >> 2)
    if (makeFolder(this.folder, folderMode)) shareFile(this.folder, database, folderMode)
    const list = new WaitingList(this.listPath, database)
    const wakeFile = randomInt(1, 2 ** 47)
    try {
      const index = list.freePlace(time)
      if (index === undefined) throw new Error("Every place is taken.")
      // That of a process that was killed.
      rmSync(this.wakeFilePath(list.read()[index]?.wakeFile ?? 0), { force: true })
      writeFileSync(this.wakeFilePath(wakeFile), "", { flag: "wx", mode })
      shareFile(this.wakeFilePath(wakeFile), database, mode)
      const watcher = watch(this.wakeFilePath(wakeFile), { persistent: false }, this.onWake)
      return { index, list, wakeFile, watcher: watcher.on("error", () => watcher.close()) }
    } catch (cause) {
      list.close()
      tryToRemove(this.wakeFilePath(wakeFile))
      throw cause
    }
  }

  /** Shows in the list since when this process waits, and that it is active. */
  private show({ wakeFile, index, list }: Place, time: number): void {
    this.activeAt = time
    list.write(index, { since: this.waitingSince, activeAt: time, wakeFile })
  }

  /** The other processes that have just been active. */
  private others(time: number): ReadonlyArray<ListedProcess> {
    if (this.place === undefined) return []
    const { wakeFile, index, list } = this.place
    const listed = list.read()
    // Another process has found the same place at the same time.
    if (listed[index]?.wakeFile !== wakeFile) this.closePlace(this.place)
    return listed.filter((process) => process.wakeFile !== wakeFile && wasActive(process, time, validityMillis))
  }

  private wake({ wakeFile }: ListedProcess): void {
    try {
      writeFileSync(this.wakeFilePath(wakeFile), "!", { flag: "r+" })
    } catch {
      // The process has ended.
    }
  }

  /** Gives back a place that only costs time, and that others take if it is not used for much longer. */
  private giveUpIdlePlace(time: number): void {
    if (this.place === undefined || time - this.activeAt < idlenessMillis) return
    this.giveBack(this.place, time)
  }

  /** Gives back a place in a list that was deleted or moved away: the other processes use another one, or will. */
  private giveUpLostPlace(): void {
    if (this.place !== undefined && !this.place.list.isAt(this.listPath)) this.closePlace(this.place)
  }

  /** Gives a place back, and removes the folder if no other process has one. */
  private giveBack(place: Place, time: number): void {
    const { wakeFile, index, list } = place
    // Before the place: the process that finds no others in the list removes the folder, which must be empty.
    tryToRemove(this.wakeFilePath(wakeFile))
    // Another process may have taken a place that was idle for long.
    if (list.read()[index]?.wakeFile === wakeFile) list.write(index)
    const listed = list.read()
    const isLast = list.isAt(this.listPath) && !listed.some((process) => wasActive(process, time))
    this.closePlace(place)
    if (isLast) this.removeFolder(listed)
  }

  private closePlace({ wakeFile, list, watcher }: Place): void {
    this.place = undefined
    try {
      watcher.close()
      list.close()
    } catch {
      // The list is not used any more.
    }
    tryToRemove(this.wakeFilePath(wakeFile))
  }

  /** Removes the folder with the wake files of processes that were killed, unless there is something else in it. */
  private removeFolder(listed: ReadonlyArray<ListedProcess>): void {
    for (const { wakeFile } of listed) if (wakeFile > 0) tryToRemove(this.wakeFilePath(wakeFile))
    tryToRemove(this.listPath)
    try {
      rmdirSync(this.folder)
    } catch {
      // Another process has entered the queue meanwhile, and makes a new list.
    }
  }
}
