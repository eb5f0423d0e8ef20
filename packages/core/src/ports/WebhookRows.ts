import type * as Effect from "effect/Effect"
import type { Webhook, WebhookRoute } from "../domain/Webhook.ts"
import type { StorageError } from "./StorageError.ts"
import type { Transaction } from "./Transaction.ts"

/** An endpoint of webhooks as it is stored. */
export interface WebhookRecord {
  readonly webhook: Webhook
  readonly version: number
  /** The secret itself, because requests are signed with it. */
  readonly secret: string
  /** The secret before the last rotation, and until when requests are signed with it too. */
  readonly previous?: { readonly secret: string; readonly until: string }
  /** When the first of its failed attempts was made, since which none succeeded. */
  readonly failingSince?: string
  /** Which events it gets, by the events that deliveries have been made for so far. */
  readonly route: WebhookRoute
  /** A deleted endpoint stays in the store, so that its id is never used again. */
  readonly deleted: boolean
}

/** Stores the endpoints of webhooks. The lock of one also keeps its deliveries as they are. */
export interface WebhookRows {
  /** An endpoint that is not deleted. */
  readonly find: (id: number) => Effect.Effect<WebhookRecord | undefined, StorageError>
  /** Locks an endpoint that is not deleted: no other transaction can change it or its deliveries until this one ends. */
  readonly lock: (id: number) => Effect.Effect<WebhookRecord | undefined, StorageError, Transaction>
  /** Endpoints that are not deleted, in ascending id, above `after`. */
  readonly list: (after: number, limit: number) => Effect.Effect<ReadonlyArray<WebhookRecord>, StorageError>
  /** All endpoints in ascending id, deleted ones included, above `after`. */
  readonly scan: (after: number, limit: number) => Effect.Effect<ReadonlyArray<WebhookRecord>, StorageError>
  /** Adds an endpoint and returns its id. */
  readonly insert: (
    webhook: Omit<WebhookRecord, "webhook" | "deleted"> & { readonly webhook: Omit<Webhook, "id"> }
  ) => Effect.Effect<number, StorageError, Transaction>
  /** Replaces a locked endpoint. */
  readonly save: (webhook: WebhookRecord) => Effect.Effect<void, StorageError, Transaction>
}
