import * as Effect from "effect/Effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { MessageRecord } from "../../domain/MessageState.ts"
import { deliversMessages } from "../../domain/Webhook.ts"
import type { DeliveryRecord } from "../../ports/DeliveryRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Transaction } from "../../ports/Transaction.ts"
import type { WebhookRecord } from "../../ports/WebhookRows.ts"
import type { MessageQueue } from "../MessageQueue.ts"

const pageSize = 100

/** Messages that endpoints deliver: what the end of a delivery of `message.queued` means for its message. */
export class DeliveredMessages {
  private readonly storage: Storage["Service"]
  private readonly queue: MessageQueue["Service"]

  constructor(storage: Storage["Service"], queue: MessageQueue["Service"]) {
    this.storage = storage
    this.queue = queue
  }

  /**
   * Locks the message that a delivery delivers, before its endpoint is locked. Undefined if it delivers none. No other delivery
   * of the message ends while this lock is held.
   */
  lockOf({
    record: { delivery },
    webhook
  }: {
    readonly record: DeliveryRecord
    readonly webhook: WebhookRecord
  }): Effect.Effect<MessageRecord | undefined, StorageError, Transaction> {
    if (delivery.type !== "message.queued" || !deliversMessages(webhook.webhook)) return Effect.undefined
    return this.storage.messages.lock(delivery.subject.slice("messages/".length))
  }

  /**
   * Ends a locked message with its delivery: the first success delivers it, and the last failure makes it fail. `isPending` says
   * whether the same endpoint delivers it once more.
   */
  end(message: MessageRecord, delivery: Delivery, isPending: boolean): Effect.Effect<void, StorageError, Transaction> {
    const { queue } = this
    if (delivery.status === "delivered") return queue.acknowledge(message)
    if (delivery.status === "pending" || isPending) return Effect.void
    return Effect.flatMap(this.isPendingElsewhere(delivery), (isElsewhere) =>
      isElsewhere ? Effect.void : queue.giveUp(message, `Webhook ${delivery.webhookId}: ${delivery.message ?? ""}`)
    )
  }

  /** Whether another endpoint may still deliver the message of a delivery. */
  private isPendingElsewhere({ seq, subject, webhookId }: Delivery): Effect.Effect<boolean, StorageError> {
    const { deliveries, webhooks } = this.storage
    return Effect.gen(function* () {
      for (let page = yield* webhooks.list(0, pageSize); page.length > 0; ) {
        for (const { route, webhook } of page) {
          if (webhook.id === webhookId || !webhook.enabled || !deliversMessages(webhook)) continue
          // It has not come to the event yet.
          if (route.after < seq) return true
          if ((yield* deliveries.firstPending(webhook.id, subject)) !== undefined) return true
        }
        page = yield* webhooks.list(page.at(-1)?.webhook.id ?? Number.POSITIVE_INFINITY, pageSize)
      }
      return false
    })
  }
}
