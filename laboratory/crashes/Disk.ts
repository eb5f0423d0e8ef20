import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import type { Operation } from "./Recording.ts"

/** A disk writes each sector as a whole. */
const sector = 512

type Change = Extract<Operation, { kind: "write" | "truncate" }>

const apply = (path: string, changes: ReadonlyArray<Change>): void => {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT)
  try {
    for (const change of changes) {
      if (change.kind === "truncate") ftruncateSync(file, change.size)
      else writeSync(file, change.data, 0, change.data.length, change.offset)
    }
  } finally {
    closeSync(file)
  }
}

/** What is left of a change that the power loss interrupts: all, nothing, or some of its sectors. */
const remains = (change: Change, random: () => number): ReadonlyArray<Change> => {
  const kind = random()
  if (kind < 0.4) return [change]
  if (kind < 0.8 || change.kind === "truncate") return []
  const { data, file, offset } = change
  return Array.from({ length: Math.ceil(data.length / sector) }, (_, index) => index * sector)
    .filter(() => random() < 0.5)
    .map((start) => ({ kind: "write", file, offset: offset + start, data: data.subarray(start, start + sector) }))
}

/** The disk of a machine that may lose power between any two operations. */
export class Disk {
  /** What was said so far. */
  said = ""
  /** Where the files are as they were when they were synced: then their names are durable too. */
  private readonly folder: string
  /** What was changed since, in all files. */
  private readonly unsynced = new Map<string, Array<Change>>()

  /** The folder does not exist yet. */
  constructor(folder: string) {
    mkdirSync(folder)
    this.folder = folder
  }

  run(operation: Operation): void {
    if (operation.kind === "say") {
      this.said += operation.text
      return
    }
    const { file } = operation
    const changes = this.unsynced.get(file) ?? []
    this.unsynced.set(file, changes)
    if (operation.kind === "delete") {
      // Its folder is synced before anything is acknowledged.
      this.unsynced.delete(file)
      rmSync(join(this.folder, file), { force: true })
    } else if (operation.kind === "sync") apply(join(this.folder, file), changes.splice(0))
    else changes.push(operation)
  }

  /** Writes the files that are left if the power is lost now, into a new folder. */
  losePower(random: () => number, folder: string): void {
    cpSync(this.folder, folder, { recursive: true })
    for (const [file, changes] of this.unsynced) {
      const path = join(folder, file)
      // The memory that processes share.
      if (file.endsWith("-shm")) rmSync(path, { force: true })
      else if (existsSync(path) || random() < 0.5) {
        apply(
          path,
          changes.flatMap((change) => remains(change, random))
        )
      }
    }
  }
}
