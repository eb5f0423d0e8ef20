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
  "GET a pet, REST": { files: 37, calls: 189, lines: 1_130, bytes: 53_000 },
  "list of 20, REST": { files: 39, calls: 293, lines: 1_360, bytes: 66_000 },
  "order, REST": { files: 78, calls: 600, lines: 2_740, bytes: 94_000 },
  "place, in process": { files: 56, calls: 400, lines: 1_665, bytes: 40_000 },
  "transaction of 3 orders, in process": { files: 69, calls: 1_375, lines: 2_395, bytes: 112_000 },
  "get, in process": { files: 21, calls: 74, lines: 280, bytes: 4_800 }
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
