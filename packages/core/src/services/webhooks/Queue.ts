import * as Effect from "effect/Effect"
import type { Webhook } from "../../domain/Webhook.ts"
import type { DeliveryRows } from "../../ports/DeliveryRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"

/**
 * Which deliveries of an endpoint can be due. In an ordered one, only the first pending delivery of a subject is: the others
 * have no time for an attempt until it has ended. The endpoint must be locked.
 */
export class Queue {
  private readonly deliveries: DeliveryRows
  private readonly webhook: Pick<Webhook, "id" | "ordered">
  /** The subjects of which a delivery is pending. */
  private readonly waiting = new Map<string, boolean>()

  constructor(deliveries: DeliveryRows, webhook: Pick<Webhook, "id" | "ordered">) {
    this.deliveries = deliveries
    this.webhook = webhook
  }

  /** Whether a delivery that is added to the queue, or the one with this id, is the first of its subject. */
  isFirst(subject: string, id?: number): Effect.Effect<boolean, StorageError> {
    if (!this.webhook.ordered) return Effect.succeed(true)
    const known = this.waiting.get(subject)
    this.waiting.set(subject, true)
    if (known !== undefined) return Effect.succeed(false)
    return Effect.map(
      this.deliveries.firstPending(this.webhook.id, subject),
      (first) => first === undefined || first.delivery.id === id
    )
  }
}
