/** Makes a memory store fail once, for its tests. */
export interface MemoryFaults {
  /** The next commit fails. */
  failNextCommit: boolean
  /** The next write fails and takes its transaction with it. */
  loseNextTransaction: boolean
}

export const noFaults = (): MemoryFaults => ({ failNextCommit: false, loseNextTransaction: false })
