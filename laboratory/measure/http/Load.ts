/** The requests of a round. */
export type Mix = "pet" | "list" | "order" | "orderOnce" | "orderReserved" | "batch" | "mixed"

/** What the process of clients does for one round. */
export interface Load {
  readonly mix: Mix
  readonly port: number
  readonly key: string
  /** The ids of pets are 1 to this. */
  readonly pets: number
  readonly connections: number
  readonly seconds: number
  /** Requests a second, whether or not responses come; undefined to send the next one with each response. */
  readonly rate?: number | undefined
}

export interface LoadResult {
  readonly responses: number
  readonly seconds: number
  /** Milliseconds until a response, from when its request was due: the median and the 99th percentile. */
  readonly p50: number
  readonly p99: number
}
