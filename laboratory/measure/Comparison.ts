import type { SyncDelay } from "./machine/syncDelay.ts"
import type { Reason } from "./reasons.ts"

/** What a contender did in one turn: a value for each figure that it measures. */
export type Sample = { readonly [F in Figure]?: number }

/** What is measured: how a row calls it, its unit, and whether more of it is better. */
export const figures = {
  rate: { title: "", unit: "/s", moreIsBetter: true },
  cpu: { title: ", CPU", unit: " µs", moreIsBetter: false },
  p50: { title: ", p50", unit: " ms", moreIsBetter: false },
  p99: { title: ", p99", unit: " ms", moreIsBetter: false },
  memory: { title: ", memory", unit: " MB", moreIsBetter: false },
  time: { title: "", unit: " ms", moreIsBetter: false },
  pet: { title: "", unit: " B", moreIsBetter: false },
  order: { title: "", unit: " B", moreIsBetter: false },
  completion: { title: "", unit: " B", moreIsBetter: false },
  events: { title: "", unit: " B", moreIsBetter: false }
} as const

export type Figure = keyof typeof figures

/** What every comparison is given. */
export interface Context {
  /** An empty folder for the files of the comparison. */
  readonly folder: string
  /** Stays until the run ends, for files that several comparisons use. */
  readonly shared: string
  readonly syncDelay: SyncDelay
  readonly isQuick: boolean
  /** The URL of a new database with the tables of a petstore, on a PostgreSQL server of the run. */
  readonly database: () => Promise<string>
}

/** A contender that runs. */
export interface Running {
  /** Works for so many seconds, or once if that takes longer. */
  readonly turn: (seconds: number) => Promise<Sample>
  /** Works as it is best warmed up; as in a turn if undefined. */
  readonly warmUp?: (seconds: number) => Promise<unknown>
  readonly close: () => Promise<void>
}

export interface Side<R extends Running = Running> {
  readonly name: string
  readonly open: (context: Context) => Promise<R>
}

/** Contenders that take turns. Ours is the first. */
export interface Comparison<R extends Running = Running> {
  /** What a user does. */
  readonly does: string
  readonly sides: readonly [Side<R>, ...ReadonlyArray<Side<R>>]
  /** Which figures are rows, of all peers or of some; the rate if undefined. */
  readonly figures?: ReadonlyArray<Figure | readonly [figure: Figure, ...peers: ReadonlyArray<string>]>
  /** Why ours loses, where it does. */
  readonly why?: Reason
  /** Seconds of a turn, and how many turns each has; 0.4 and 5 if undefined. */
  readonly seconds?: number
  readonly rounds?: number
  /** Seconds of work before the first turn; 1.5 if undefined. */
  readonly warmUp?: number
  /** Checks that the contenders do the same work, before anything is measured. */
  check?(running: ReadonlyArray<R>, context: Context): Promise<void>
}

/** A figure of ours beside that of a peer. Those with one title stand in one line of the document. */
export interface Row {
  readonly title: string
  /** What a line calls a figure that is not its first: "p99". */
  readonly label: string
  readonly peer: string
  readonly figure: Figure
  readonly side: number
  readonly why: Reason | undefined
}

/** The rows that a comparison has: of each figure one for each peer. */
export const rowsOf = ({
  does,
  figures: shown = ["rate"],
  sides: [, ...peers],
  why
}: Comparison): ReadonlyArray<Row> => {
  const [first = "rate"] = shown.flat()
  return shown.flatMap((one, place) => {
    const [figure, ...some] = typeof one === "string" ? [one] : one
    const { title } = figures[figure]
    if (peers.length === 0) return [{ title: does, label: "", figure, why, peer: "", side: 0 }]
    const row = { title: does + figures[first as Figure].title, label: place === 0 ? "" : title.slice(2), figure, why }
    return peers.flatMap(({ name }, index) =>
      some.length === 0 || some.includes(name) ? [{ ...row, peer: name, side: index + 1 }] : []
    )
  })
}

/** The comparisons with this name, or else those with it in their names; all if undefined. */
export const chosenOf = (all: ReadonlyArray<Comparison>, only: string | undefined): ReadonlyArray<Comparison> => {
  const exact = all.filter(({ does }) => does === only)
  return exact.length > 0 ? exact : all.filter(({ does }) => only === undefined || does.includes(only))
}
