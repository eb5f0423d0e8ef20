import type { EventStats } from "../events/Events.ts"
import type { MessageAttempts, WebhookAttempts } from "./AttemptCounts.ts"

/** What became of the transactions of a petstore since it was opened. Those of the host application are not counted. */
export interface TransactionStats {
  /** Succeeded, those that changed nothing included. */
  readonly committed: number
  /** Rejected by a rule or a check, or cancelled: nothing was changed. */
  readonly rejected: number
  /** How many times one was tried again, because others were in its way. */
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
  /** How many events come after that. */
  readonly lag: number
  /** How many seconds ago the first of these events happened; 0 if there is none. */
  readonly age: number
}

/** The queue of messages, of all processes, and the attempts of this process at their delivery. */
export interface MessageStats {
  /** How many messages are queued, delayed ones included; 10,000 if there are more. */
  readonly queued: number
  /** How many messages have failed for good; 10,000 if there are more. */
  readonly failed: number
  /** For how many seconds the oldest message that is still queued has been there; 0 if none is. */
  readonly oldestQueued: number
  /** How the attempts of this petstore ended, since it was opened. */
  readonly attempts: MessageAttempts
}

/** The reservations of all processes. */
export interface ReservationStats {
  /** How many orders still hold units although they have expired; 10,000 if there are more. */
  readonly overdue: number
  /** For how many seconds the first of them has been overdue; 0 if none is. */
  readonly oldestOverdue: number
  /** How many orders hold units for longer than 365 days from now, which a wrong clock has set; 10,000 if there are more. */
  readonly tooLong: number
}

/** What has not been delivered to an endpoint of webhooks, by all processes. */
export interface WebhookEndpointStats {
  readonly id: number
  readonly enabled: boolean
  /** How many deliveries are still to be made; 1,000 if there are more. */
  readonly pending: number
  /** How many deliveries have failed for good; 1,000 if there are more. */
  readonly failed: number
  /** For how many seconds the oldest pending delivery has been there; 0 if none is pending. */
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
 * What a petstore has done since it was opened, and its queues now. Numbers of this process only, except for those of the log, of
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
}
