import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Operation } from "./Recording.ts"

/** A disk writes each sector as a whole. */
const sector = 512

type Change = Extract<Operation, { kind: "write" | "truncate" }>

/** A file, and what was not synced since. */
class DiskFile {
  content: Buffer = Buffer.alloc(0)
  unsynced: Array<Change> = []
  /** Whether its name is durable too. */
  isSynced = false

  sync(): void {
    for (const change of this.unsynced) this.content = apply(this.content, change)
    this.unsynced = []
    this.isSynced = true
  }
}

const apply = (content: Buffer, change: Change): Buffer => {
  const { length } = content
  if (change.kind === "truncate") return Buffer.concat([content], change.size)
  const end = change.offset + change.data.length
  const changed = end <= length ? content : Buffer.concat([content], end)
  change.data.copy(changed, change.offset)
  return changed
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

/** Writes the files that a machine has after it lost power at an operation, into a new folder. Returns what was said before. */
export const losePower = (
  operations: ReadonlyArray<Operation>,
  at: number,
  random: () => number,
  folder: string
): ReadonlyArray<string> => {
  const files = new Map<string, DiskFile>()
  let said = ""
  for (const operation of operations.slice(0, at)) {
    if (operation.kind === "say") said += operation.text
    // Its folder is synced before anything is acknowledged.
    else if (operation.kind === "delete") files.delete(operation.file)
    else {
      const file = files.get(operation.file) ?? new DiskFile()
      files.set(operation.file, file)
      if (operation.kind === "sync") file.sync()
      else file.unsynced.push(operation)
    }
  }
  mkdirSync(folder)
  for (const [name, file] of files) {
    // The memory that processes share.
    if (name.endsWith("-shm") || (!file.isSynced && random() < 0.5)) continue
    const kept = file.unsynced.flatMap((change) => remains(change, random))
    writeFileSync(join(folder, name), kept.reduce(apply, file.content))
  }
  return said.split("\n").slice(0, -1)
}
