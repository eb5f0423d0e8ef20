import { statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * The file systems, by the numbers that Linux has for them, in which the time of a folder changes with each entry that is added,
 * removed, moved or replaced: ext, XFS, btrfs, tmpfs and overlayfs. Others may be remote, and keep what they know for seconds.
 */
const fileSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630])

/** Milliseconds after which a further change of a folder has another time, even where times are whole seconds. */
const resolution = 2_500

/** Milliseconds for which a time is relied on: it does not show another file system that was mounted on an entry. */
const reliance = 1_000

/** For looks at a file that may be gone. */
export const mayBeMissing = { throwIfNoEntry: false } as const

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
    const isRecent = age >= 0 && age < reliance
    if (isRecent && ctimeMs === this.time && ino === this.node && dev === this.device) return true
    this.lookedAt = now
    // Another change within the resolution of the file system would not be seen.
    this.time = now - ctimeMs > resolution ? ctimeMs : undefined
    this.node = ino
    this.device = dev
    return false
  }

  /** Lets the next call of `isUnchanged` return false. */
  forget(): void {
    this.time = undefined
  }
}
