import type { MessageRecord } from "../../domain/messages/MessageState.ts"
import type { Delivery } from "../../domain/webhooks/Delivery.ts"
import { deliversMessages } from "../../domain/webhooks/Webhook.ts"
import type { Command } from "../../kernel/Command.ts"
import type { Call } from "../../programs/Call.ts"
import { acknowledgeMessage, giveUpMessage } from "../../programs/messages/messageCommands.ts"
import { endpoints, pendingDeliveries } from "../../tables/index.ts"
import type { DeliveryRecord, WebhookRecord } from "../../tables/webhookTables.ts"

const pageSize = 100

/** A delivery, and its endpoint. */
interface MessageDelivery {
  readonly record: DeliveryRecord
  readonly webhook: WebhookRecord
}

/** The id of the message that a delivery delivers; undefined if it delivers none. */
export const deliveredMessage = ({ record: { delivery }, webhook }: MessageDelivery): string | undefined =>
  delivery.type === "message.queued" && deliversMessages(webhook.webhook)
    ? delivery.subject.slice("messages/".length)
    : undefined

/**
 * Ends a locked message with its delivery: the first success delivers it, and the last failure makes it fail. `isPending` says
 * whether the same endpoint delivers it once more.
 */
export function* endMessage(call: Call, message: MessageRecord, delivery: Delivery, isPending: boolean): Command<void> {
  if (delivery.status === "delivered") acknowledgeMessage(call, message)
  else if (delivery.status === "failed" && !isPending && !(yield* isPendingElsewhere(call, delivery))) {
    giveUpMessage(call, message, `Webhook ${delivery.webhookId}: ${delivery.message ?? ""}`)
  }
}

/** Whether another endpoint may still deliver the message of a delivery. */
function* isPendingElsewhere({ tx }: Call, { seq, subject, webhookId }: Delivery): Command<boolean> {
  for (let page = yield* tx.all(endpoints, 0, pageSize); page.length > 0; ) {
    for (const { route, webhook } of page) {
      if (webhook.id === webhookId || !webhook.enabled || !deliversMessages(webhook)) continue
      // It has not come to the event yet.
      if (route.after < seq) return true
      if ((yield* tx.first(pendingDeliveries, { webhookId: webhook.id, subject })) !== undefined) return true
    }
    page = yield* tx.all(endpoints, page.at(-1)?.webhook.id ?? Number.POSITIVE_INFINITY, pageSize)
  }
  return false
}
