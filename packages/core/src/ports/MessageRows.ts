import type * as Effect from "effect/Effect"
import type { MessageStatus } from "../domain/Message.ts"
import type { MessageRecord } from "../domain/MessageState.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** Which messages to list. */
export interface MessageQuery {
  readonly status?: MessageStatus | undefined
  /** "" for all. */
  readonly after: string
  readonly limit: number
}

/** Which messages a worker may claim; times as in `MessageRules.isClaimable`. */
export interface ClaimableQuery {
  readonly now: string
  /** A lease that ends later than this has no effect. */
  readonly longestLease: string
  /** A message that is due later than this is due. */
  readonly longestDelay: string
  readonly limit: number
}

/** Stores the messages. */
export interface MessageRows {
  readonly find: (id: string) => Effect.Effect<MessageRecord | undefined, StorageError>
  /** Returns a message that no other transaction can change until this one ends. */
  readonly lock: (id: string) => Effect.Effect<MessageRecord | undefined, StorageError, Transaction>
  /** Messages in ascending id, above `after`. */
  readonly list: (query: MessageQuery) => Effect.Effect<ReadonlyArray<MessageRecord>, StorageError>
  /** How many messages have a status. The count ends at `most`: the cost does not depend on how many there are. */
  readonly count: (status: MessageStatus, most: number) => Effect.Effect<number, StorageError>
  readonly insert: (message: MessageRecord) => Effect.Effect<void, StorageError, Transaction>
  /** Saves what changes of a message: neither its text nor when it was created. */
  readonly save: (message: MessageRecord) => Effect.Effect<void, StorageError, Transaction>
  readonly remove: (id: string) => Effect.Effect<void, StorageError, Transaction>
  /**
   * When the first queued message is due: without a lease at its `dueAt`, with one when that expires. Undefined if none is
   * queued. The cost does not depend on how many messages there are.
   */
  readonly nextDue: Effect.Effect<string | undefined, StorageError>
  /**
   * Locks messages that may be claimed: those with expired leases first, then those that are due, each in the order of these
   * times. Messages that other transactions have locked are left out. The cost does not depend on how many messages there are.
   */
  readonly lockClaimable: (
    query: ClaimableQuery
  ) => Effect.Effect<ReadonlyArray<MessageRecord>, StorageError, Transaction>
  /**
   * Locks messages that were delivered before a time, the first ones first. Messages that other transactions have locked are
   * left out.
   */
  readonly lockDelivered: (
    before: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<MessageRecord>, StorageError, Transaction>
}
