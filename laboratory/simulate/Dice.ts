import { mulberry32 } from "../../packages/core/testing/src/seededHasher.ts"

/** Random decisions that are the same for the same seed. */
export class Dice {
  private readonly next: () => number

  constructor(seed: number) {
    this.next = mulberry32(seed)
  }

  /** From 0 up to, but not including, 1. */
  readonly fraction = (): number => (this.next() >>> 0) / 2 ** 32

  /** A whole number in a range, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** True with a probability from 0 to 1. */
  isHit(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<A>(all: ReadonlyArray<A>): A | undefined {
    return all[this.between(0, all.length - 1)]
  }

  /** A seed for something that makes decisions of its own. */
  seed(): number {
    return this.between(0, 2 ** 31)
  }
}
