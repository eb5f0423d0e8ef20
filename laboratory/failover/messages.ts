/** The admin key of the application servers. */
export const adminKey = "failover-admin-key-0123456789"

/** What the subscriber of an application server has seen since the first event. */
export interface SubscriberReport {
  /** The `seq` of the last event. */
  readonly position: number
  /** The orders whose placing it was told of. */
  readonly placed: ReadonlyArray<number>
  /** The events that were not one after the one before. */
  readonly disorder: ReadonlyArray<string>
  /** How often the log could not be read; the subscription goes on. */
  readonly failedReads: number
}

/** What an application server sends to its parent. */
export type FromAppServer =
  | { readonly kind: "listening"; readonly url: string }
  | { readonly kind: "report"; readonly report: SubscriberReport }
