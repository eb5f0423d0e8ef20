import { randomInt } from "node:crypto"
import { closeSync, constants, fstatSync, readSync, type Stats, statSync, writeSync } from "node:fs"
import { openRegularFile, shareFile } from "../connection/regularFile.ts"

/** How many processes can be in a list. */
const places = 64
const numbersPerPlace = 3
const placeBytes = numbersPerPlace * Float64Array.BYTES_PER_ELEMENT
/** Milliseconds after which the place of a process that has not been active again is free: the process was killed. */
const expiryMillis = 60_000

/** Milliseconds of a clock that all processes of a system share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1_000_000

/** What a list shows of a process. */
export interface ListedProcess {
  /** Since when it waits; 0 if it does not. */
  readonly since: number
  /** When it was last active. */
  readonly activeAt: number
  /** The name of the file by which it is woken; 0 for a free place. */
  readonly wakeFile: number
}

const nobody: ListedProcess = { since: 0, activeAt: 0, wakeFile: 0 }

/** A file in which each of several processes writes to a place of its own, and reads those of the others. Its methods throw. */
export class WaitingList {
  private readonly file: number
  private readonly node: number
  private readonly numbers = new Float64Array(places * numbersPerPlace)

  /** Opens a list, or creates it with the owner and the permissions of the database. */
  constructor(path: string, database: Stats) {
    const mode = database.mode & 0o666
    this.file = openRegularFile(path, constants.O_RDWR | constants.O_CREAT, mode)
    try {
      this.node = fstatSync(this.file).ino
    } catch (cause) {
      this.close()
      throw cause
    }
    try {
      shareFile(path, database, mode)
    } catch {
      // Another user has created it.
    }
  }

  /** Whether the list is still the file at this path. */
  isAt(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.ino === this.node
  }

  read(): ReadonlyArray<ListedProcess> {
    this.numbers.fill(0)
    readSync(this.file, this.numbers, 0, this.numbers.byteLength, 0)
    return Array.from({ length: places }, (_, place) => {
      const [since = 0, activeAt = 0, wakeFile = 0] = this.numbers.subarray(place * numbersPerPlace)
      return { since, activeAt, wakeFile }
    })
  }

  /** A free place at random: two processes that look for one at the same time seldom find the same. */
  freePlace(time: number): number | undefined {
    const free = [...this.read().entries()].filter(([, process]) => !wasActive(process, time, expiryMillis))
    return free.length === 0 ? undefined : free[randomInt(free.length)]?.[0]
  }

  write(place: number, { activeAt, wakeFile, since }: ListedProcess = nobody): void {
    writeSync(this.file, Float64Array.of(since, activeAt, wakeFile), 0, placeBytes, place * placeBytes)
  }

  close(): void {
    closeSync(this.file)
  }
}

/** Whether a process has been active within this number of milliseconds. A time in the future is from before a restart of the system. */
export const wasActive = ({ activeAt }: ListedProcess, time: number, period: number = expiryMillis): boolean =>
  activeAt > 0 && activeAt <= time && time - activeAt < period
