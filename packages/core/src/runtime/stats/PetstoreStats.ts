import type { EventStats } from "../events/Events.ts"
import type { LastVerification } from "../verification/lastVerification.ts"
import type { MessageAttempts, WebhookAttempts } from "./AttemptCounts.ts"

/** What became of the transactions of a petstore since it was opened. Those of the host application are not counted. */
export interface TransactionStats {
  /** Succeeded, those that changed nothing included. */
  readonly committed: number
  /** Rejected by a rule or a check, or cancelled: nothing was changed. */
  readonly rejected: number
  /** Number of repetitions after conflicts with other transactions. */
  readonly retried: number
  /** Not committed because of the store or a defect, or with an unknown outcome. */
  readonly failed: number
  /** Waiting for their turn. */
  readonly waiting: number
}

/** The commits of a petstore since it was opened. */
export interface CommitStats {
  /** Commits that changed something. Several transactions may share one. */
  readonly count: number
  /** Transactions in these commits, summed. Divided by `count`, it is the mean size of a group. */
  readonly transactions: number
  /** The most transactions in one commit. */
  readonly largest: number
  /** How many commits had `upTo` transactions or fewer, but more than the entry before. The last one has no limit. */
  readonly groupSizes: ReadonlyArray<{ readonly upTo: number; readonly count: number }>
}

/** A consumer with a name, whichever process handles its events. */
export interface ConsumerStats {
  readonly name: string
  /** The `seq` of the last event that it is done with. */
  readonly position: number
  /** Number of events after `position`. */
  readonly lag: number
  /** How many seconds ago the first of these events happened; 0 if there is none. */
  readonly age: number
}

/** The queue of messages, of all processes, and the attempts of this process at their delivery. */
export interface MessageStats {
  /** Number of queued messages, delayed ones included; 10,000 if there are more. */
  readonly queued: number
  /** Number of messages that have failed for good; 10,000 if there are more. */
  readonly failed: number
  /** Seconds that the oldest queued message has waited; 0 if none is queued. */
  readonly oldestQueued: number
  /** How the attempts of this petstore ended, since it was opened. */
  readonly attempts: MessageAttempts
}

/** The reservations of all processes. */
export interface ReservationStats {
  /** Number of orders that still hold units although they have expired; 10,000 if there are more. */
  readonly overdue: number
  /** Seconds since the one that has been overdue for the longest expired; 0 if none is overdue. */
  readonly oldestOverdue: number
  /** Number of orders whose reservation ends in more than 365 days, which a wrong clock has set; 10,000 if there are more. */
  readonly tooLong: number
}

/** What has not been delivered to an endpoint of webhooks, by all processes. */
export interface WebhookEndpointStats {
  readonly id: number
  readonly enabled: boolean
  /** Number of pending deliveries; 1,000 if there are more. */
  readonly pending: number
  /** Number of deliveries that have failed for good; 1,000 if there are more. */
  readonly failed: number
  /** Seconds that the oldest pending delivery has waited; 0 if none is pending. */
  readonly oldestPending: number
}

/** The webhooks of all processes, and the attempts of this process. */
export interface WebhookStats {
  /** How the attempts of this petstore ended, since it was opened; tests of endpoints are not counted. */
  readonly attempts: WebhookAttempts
  /** The endpoints, in the order of their ids; the first 100. */
  readonly endpoints: ReadonlyArray<WebhookEndpointStats>
}

/**
 * Counts since a petstore was opened, and its current queues. Numbers of this process only, except for those of the log, of
 * consumers, and of queues of messages and deliveries, which are read from the store.
 */
export interface PetstoreStats {
  /** The kind of store, such as `sqlite`. */
  readonly storage: string
  /** Seconds since the petstore was opened. */
  readonly uptime: number
  readonly transactions: TransactionStats
  readonly commits: CommitStats
  readonly events: EventStats
  /** Consumers with a name, in the order of their names; the first 100. */
  readonly consumers: ReadonlyArray<ConsumerStats>
  readonly messages: MessageStats
  readonly reservations: ReservationStats
  readonly webhooks: WebhookStats
  /** The last verification that was recorded, by whichever process; undefined if there is none. */
  readonly verification?: LastVerification
}
