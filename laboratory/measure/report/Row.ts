import { ratioOf, type Spread, spreadOf } from "./statistics.ts"

/** What a ratio has to be. */
export type Target = { readonly atLeast: number } | { readonly atMost: number }

/** One comparison of the table. */
export interface Row {
  readonly row: string
  readonly unit: string
  readonly peerName: string
  readonly ours: Spread
  readonly peer: Spread
  readonly ratio: Spread
  /** Undefined for rows that only inform. */
  readonly target: Target | undefined
  /** How many rounds the ratio is made of. */
  readonly rounds: number
  /** In how many of them a contender lost more than a hundredth of a core to steal time; undefined if it was not measured. */
  readonly disturbed?: number
  /** Ours and the peer's processor time for one call in microseconds, if it was measured. */
  readonly processor?: readonly [ours: number, peer: number]
}

export interface Sample {
  readonly row: string
  readonly unit: string
  readonly peerName: string
  /** A value for each round. */
  readonly ours: ReadonlyArray<number>
  readonly peer: ReadonlyArray<number>
  readonly target?: Target | undefined
  readonly disturbed?: number
  readonly processor?: readonly [ours: number, peer: number]
}

export const rowOf = ({ ours, peer, target, ...sample }: Sample): Row => ({
  ...sample,
  ours: spreadOf(ours),
  peer: spreadOf(peer),
  ratio: ratioOf(ours, peer),
  target,
  rounds: ours.length
})

/** Whether a row has a target, and most of its rounds were disturbed. */
export const isUndecided = ({ disturbed = 0, rounds, target }: Row): boolean =>
  target !== undefined && disturbed > rounds / 2

/** Undefined for rows without a target, and for those that are undecided. */
export const hasPassed = (row: Row): boolean | undefined => {
  const { ratio, target } = row
  if (target === undefined || isUndecided(row)) return undefined
  return "atLeast" in target ? ratio.median >= target.atLeast : ratio.median <= target.atMost
}

/** How many times better ours is: the ratio of a rate, the inverse of the ratio of anything that should be small. */
export const advantageOf = ({ ratio, unit }: Row): number => (unit.endsWith("/s") ? ratio.median : 1 / ratio.median)

export const targetText = (target: Target | undefined): string => {
  if (target === undefined) return ""
  return "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
}
