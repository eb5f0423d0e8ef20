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
  /** In how many of them the host of the machine took a core away. */
  readonly disturbed: number
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

export const rowOf = ({ disturbed = 0, ours, peer, target, ...sample }: Sample): Row => ({
  ...sample,
  disturbed,
  ours: spreadOf(ours),
  peer: spreadOf(peer),
  ratio: ratioOf(ours, peer),
  target,
  rounds: ours.length
})

/** Whether most rounds of a row say more about the machine than about the contenders. */
export const isDisturbed = ({ disturbed, rounds }: Row): boolean => disturbed > rounds / 2

/** Undefined for rows without a target, and for those that the machine does not allow to judge. */
export const hasPassed = (row: Row): boolean | undefined => {
  const { ratio, target } = row
  if (target === undefined || isDisturbed(row)) return undefined
  return "atLeast" in target ? ratio.median >= target.atLeast : ratio.median <= target.atMost
}

export const targetText = (target: Target | undefined): string => {
  if (target === undefined) return ""
  return "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
}
