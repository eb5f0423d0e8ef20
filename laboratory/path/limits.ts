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
  "GET a pet, REST": { files: 48, calls: 230, lines: 1_160, bytes: 56_000 },
  "list of 20, REST": { files: 48, calls: 330, lines: 1_370, bytes: 72_000 },
  "order, REST": { files: 97, calls: 725, lines: 2_800, bytes: 104_000 },
  "place, in process": { files: 73, calls: 500, lines: 1_770, bytes: 47_000 },
  "transaction of 3 orders, in process": { files: 91, calls: 1_660, lines: 2_720, bytes: 184_000 },
  "get, in process": { files: 28, calls: 92, lines: 315, bytes: 5_500 }
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
