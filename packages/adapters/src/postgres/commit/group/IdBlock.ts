/** The most ids that are fetched at once. */
const largestBlock = 512

/** The ids of new rows of one table, which a store has fetched from the sequence of the table. None is used twice. */
export class IdBlock {
  private readonly free: Array<number> = []
  private size = 8
  private isUsed = false

  /** How many ids to fetch along with something else. Few for a store that adds few rows. */
  get missing(): number {
    return this.isUsed && this.free.length < this.size / 4 ? this.size : 0
  }

  /** Takes this number of ids; undefined if there are fewer. */
  take(count: number): ReadonlyArray<number> | undefined {
    this.isUsed = true
    return this.free.length < count ? undefined : this.free.splice(0, count)
  }

  /** Takes back ids that nothing was stored with. They come first, so that the ids of a store have no gap for them. */
  giveBack(ids: ReadonlyArray<number>): void {
    this.free.unshift(...ids)
  }

  /**
   * Forgets the ids, when a transaction could not be committed: the server that takes over may not know that they were
   * fetched, and give them to others.
   */
  clear(): void {
    this.free.length = 0
  }

  add(ids: ReadonlyArray<number>): void {
    this.size = Math.min(this.size * 2, largestBlock)
    this.free.push(...ids)
  }
}

/** The ids that the commands of one group take from a block. */
export class NewIds {
  private readonly block: IdBlock
  /** Those of the command that runs now. */
  private taken: Array<number> = []
  private wanted = 0

  constructor(block: IdBlock) {
    this.block = block
  }

  /** How many ids to fetch in the next round trip. */
  get missing(): number {
    return Math.max(this.block.missing, this.wanted)
  }

  /** Takes ids for the command that runs now; undefined if the group has to fetch more. */
  take(count: number): ReadonlyArray<number> | undefined {
    const ids = this.block.take(count)
    if (ids === undefined) this.wanted += this.taken.length + count
    else this.taken.push(...ids)
    return ids
  }

  /** Ends a command. If it has failed, or has to run again, its ids are free. */
  settle(isKept: boolean): void {
    if (!isKept) this.block.giveBack(this.taken)
    this.taken = []
  }

  /** Takes back ids of commands that have ended, with which nothing was stored. */
  giveBack(ids: ReadonlyArray<number>): void {
    this.block.giveBack(ids)
  }

  add(ids: ReadonlyArray<number>): void {
    this.wanted = 0
    this.block.add(ids)
  }
}
