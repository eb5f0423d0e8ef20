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

  take(): number | undefined {
    this.isUsed = true
    return this.free.shift()
  }

  /** Takes back an id that nothing was stored with. The last one that was taken comes first. */
  giveBack(id: number): void {
    this.free.unshift(id)
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

/** The ids that the bodies of one group take, and wait for. */
export class NewIds {
  private readonly block: IdBlock
  private waiters: Array<(id: number) => void> = []
  private isAbandoned = false

  constructor(block: IdBlock) {
    this.block = block
  }

  /** How many ids to fetch in the next round trip. */
  get missing(): number {
    return Math.max(this.block.missing, this.waiters.length)
  }

  /** Whether a body cannot go on without more. */
  get isIncomplete(): boolean {
    return this.waiters.length > 0
  }

  take(): number | undefined {
    return this.block.take()
  }

  /** Takes back an id of a body that was undone, so that the ids of a store have no gap for it. */
  giveBack(id: number): void {
    if (!this.isAbandoned) this.block.giveBack(id)
  }

  /** Takes no more ids back: the group cannot be committed, and its block is forgotten. */
  abandon(): void {
    this.isAbandoned = true
  }

  wait(settle: (id: number) => void): void {
    this.waiters.push(settle)
  }

  /** Adds ids that were fetched. The bodies that wait get theirs. */
  add(ids: ReadonlyArray<number>): void {
    this.block.add(ids)
    const { waiters } = this
    this.waiters = []
    for (const settle of waiters) {
      const id = this.take()
      if (id === undefined) this.waiters.push(settle)
      else settle(id)
    }
  }
}
