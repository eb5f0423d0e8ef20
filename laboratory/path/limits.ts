/** How much of the product runs for a call. */
export interface Counted {
  readonly files: number
  readonly functions: number
  readonly calls: number
  readonly lines: number
  readonly bytes: number
}

type Limits = Pick<Counted, "files" | "calls" | "lines" | "bytes">

/** What each call may pass at most. Whoever makes a path shorter lowers them; bytes have room for what V8 samples by chance. */
const limits: Readonly<Record<string, Limits>> = {
  "GET a pet, REST": { files: 46, calls: 220, lines: 1_135, bytes: 53_000 },
  "list of 20, REST": { files: 46, calls: 318, lines: 1_345, bytes: 67_000 },
  "order, REST": { files: 95, calls: 700, lines: 2_755, bytes: 99_000 },
  "place, in process": { files: 70, calls: 477, lines: 1_697, bytes: 47_000 },
  "transaction of 3 orders, in process": { files: 91, calls: 2_243, lines: 2_659, bytes: 274_000 },
  "get, in process": { files: 27, calls: 88, lines: 302, bytes: 5_000 }
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
