/** The sizes up to which {@link StorageActivity.groupSizes} counts: a group of 3 transactions counts at 4. */
export const groupSizeLimits: ReadonlyArray<number> = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/**
 * What a store has done since it was opened. The counts are live: reading a property returns its value now, at no cost.
 * Calls in a transaction of the host application are not counted, because their outcome is not known here.
 */
export interface StorageActivity {
  /** Transactions that succeeded, those that changed nothing included. */
  readonly committed: number
  /** Transactions whose body failed or was interrupted, so that nothing was changed. */
  readonly rejected: number
  /** Number of repetitions after conflicts with other transactions. */
  readonly retried: number
  /** Transactions that the store could not commit or whose outcome is unknown, and those whose body died. */
  readonly failed: number
  /** Transactions that wait for their turn, or for a connection. */
  readonly waiting: number
  /** Commits that changed something. Several transactions may share one. */
  readonly commits: number
  /** Transactions in these commits, summed. */
  readonly grouped: number
  /** The most transactions in one commit. */
  readonly largestGroup: number
  /** How many commits had a size up to each of {@link groupSizeLimits} and above the one before it. */
  readonly groupSizes: ReadonlyArray<number>
}
