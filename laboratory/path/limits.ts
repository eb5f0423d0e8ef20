/** How much of the product runs for a call. */
export interface Counted {
  readonly files: number
  readonly functions: number
  readonly calls: number
  readonly lines: number
  readonly bytes: number
}

type Limits = Pick<Counted, "files" | "calls" | "lines" | "bytes">

/** What each call may pass at most. Whoever makes a path shorter lowers them; calls and lines have room for a checkpoint or timer that happens to run, bytes for what V8 samples by chance. */
const limits: Readonly<Record<string, Limits>> = {
  "GET a pet, REST": { files: 46, calls: 222, lines: 1_142, bytes: 53_000 },
  "list of 20, REST": { files: 46, calls: 320, lines: 1_352, bytes: 67_000 },
  "order, REST": { files: 96, calls: 715, lines: 2_800, bytes: 99_000 },
  "place, in process": { files: 70, calls: 485, lines: 1_715, bytes: 47_000 },
  "transaction of 3 orders, in process": { files: 91, calls: 2_243, lines: 2_659, bytes: 274_000 },
  "get, in process": { files: 27, calls: 90, lines: 312, bytes: 5_000 }
}

const parts = ["files", "calls", "lines", "bytes"] as const

/** By how much a call passes more than it may. */
export const tooLong = (name: string, counted: Counted): ReadonlyArray<string> => {
  const most = limits[name]
  if (most === undefined) return [`laboratory/path/limits.ts has no limits of ${name}`]
  return parts
    .filter((part) => counted[part] > most[part])
    .map((part) => `${name} passes ${counted[part]} ${part}, and may pass ${most[part]}`)
}
