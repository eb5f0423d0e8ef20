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
  "GET a pet, REST": { files: 47, calls: 227, lines: 1_150, bytes: 54_000 },
  "list of 20, REST": { files: 47, calls: 325, lines: 1_355, bytes: 68_000 },
  "order, REST": { files: 92, calls: 708, lines: 2_775, bytes: 99_000 },
  "place, in process": { files: 68, calls: 488, lines: 1_725, bytes: 44_000 },
  "transaction of 3 orders, in process": { files: 74, calls: 1_480, lines: 2_400, bytes: 128_000 },
  "get, in process": { files: 28, calls: 90, lines: 310, bytes: 5_200 }
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
