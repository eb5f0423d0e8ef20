import type { Webhook } from "../../domain/webhooks/Webhook.ts"
import type { Command } from "../../kernel/Command.ts"
import { pendingDeliveries } from "../../tables/index.ts"
import type { Call } from "../Call.ts"

/**
 * Whether a delivery to a locked endpoint can be due: one that is added, or the one with this id. In an ordered endpoint, only the first
 * pending delivery of a subject is: the others have no time for an attempt until it has ended. `seen` receives the subjects that were asked
 * for.
 */
export function* canBeDue(
  { tx }: Call,
  { id: webhookId, ordered }: Pick<Webhook, "id" | "ordered">,
  seen: Set<string>,
  subject: string,
  id?: number
): Command<boolean> {
  if (!ordered) return true
  if (seen.has(subject)) return false
  seen.add(subject)
  const first = yield* tx.first(pendingDeliveries, { webhookId, subject })
  return first === undefined || first.delivery.id === id
}
