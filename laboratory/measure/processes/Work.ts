/** What one of the processes does in a round. */
export interface Work {
  readonly kind: "get" | "order"
  /** Each makes one call after the other. */
  readonly callers: number
  readonly seconds: number
  /** The ids of pets are 1 to this. */
  readonly pets: number
}

export interface Worked {
  /** Calls per second. */
  readonly rate: number
  /** Microseconds of processor time for a call. */
  readonly cpu: number
  /** Milliseconds of each order. */
  readonly latencies: ReadonlyArray<number>
}
