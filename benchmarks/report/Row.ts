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

/** Undefined for rows without a target. */
export const hasPassed = ({ ratio, target }: Row): boolean | undefined => {
  if (target === undefined) return undefined
  return "atLeast" in target ? ratio.median >= target.atLeast : ratio.median <= target.atMost
}

export const targetText = (target: Target | undefined): string => {
  if (target === undefined) return ""
  return "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
}
