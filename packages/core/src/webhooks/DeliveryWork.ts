import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { extended, released } from "../domain/Lease.ts"
import type { EventRecord } from "../events/eventTable.ts"
import { traceparent } from "../events/eventTable.ts"
import type { Journal } from "../events/Journal.ts"
import type { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { sleep } from "../services/background/sleep.ts"
import type { Claimed } from "../services/background/Worker.ts"
import type { Commands } from "../services/Commands.ts"
import { storeMillis } from "../services/storeTime.ts"
import { type TracedWork, tracedWork, type WorkSpan } from "../services/tracing.ts"
import type { AttemptCounts } from "../stats/AttemptCounts.ts"
import { type AttemptOutcome, attempt } from "./attempt.ts"
import {
  type ClaimedDelivery,
  changeDeliveries,
  claimDeliveries,
  deliveryLease,
  recordAttempt
} from "./deliveryCommands.ts"
import type { WebhookSecrets } from "./secrets/WebhookSecrets.ts"
import { webhookBody } from "./Webhook.ts"
import { dueDeliveries, type WebhookRecord } from "./webhookTables.ts"

/** Milliseconds between two tries to record an outcome that the store has refused. */
const shortestRetry = 100
const longestRetry = 5_000

/** Sorts behind every time. */
const everyTime = "~"

const eventGone: AttemptOutcome = {
  delivered: false,
  reason: "event_gone",
  message: "The event is no longer in the log."
}

/** The attempts of deliveries to endpoints: claimed by lease, made outside of transactions, and recorded with the fence. */
export class DeliveryWork {
  private readonly commands: Commands["Service"]
  private readonly storage: Storage["Service"]
  private readonly journal: Journal["Service"]
  private readonly sender: WebhookSender["Service"]
  private readonly counts: AttemptCounts["Service"]["webhooks"]
  private readonly secrets: WebhookSecrets["Service"]

  constructor(
    commands: Commands["Service"],
    storage: Storage["Service"],
    journal: Journal["Service"],
    sender: WebhookSender["Service"],
    counts: AttemptCounts["Service"],
    secrets: WebhookSecrets["Service"]
  ) {
    this.commands = commands
    this.storage = storage
    this.journal = journal
    this.sender = sender
    this.counts = counts.webhooks
    this.secrets = secrets
  }

  /** Claims deliveries of an endpoint that are due, so that over all processes at most `most` are claimed, and no more than its concurrency. */
  claim(webhookId: number, limit: number, most: number): Effect.Effect<Claimed<ClaimedDelivery>, StorageError> {
    const { secrets } = this
    const { run } = this.commands
    const firstDue = Effect.map(
      this.storage.select(dueDeliveries, { webhookId, at: everyTime }, 1),
      ([first]) => first?.delivery.nextAttemptAt
    )
    const { clockTime } = this.journal
    return Effect.gen(function* () {
      const due = yield* firstDue
      if (due === undefined) return { items: [] }
      if (due > (yield* clockTime)) return { items: [], nextDue: due }
      const { isWaiting, items, nextDue, unreadable } = yield* run("deliveries.claim", (call) =>
        claimDeliveries(call, secrets, webhookId, limit, most)
      )
      if (unreadable !== undefined) yield* secrets.report(unreadable)
      return {
        items,
        nextDue: isWaiting === true || nextDue !== undefined ? nextDue : yield* firstDue
      }
    })
  }

  /** Extends the leases of deliveries of an endpoint, and returns those that are lost. */
  extend(
    webhookId: number,
    items: ReadonlyArray<ClaimedDelivery>
  ): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError> {
    return this.commands.run("deliveries.extend", (call) =>
      changeDeliveries(call, webhookId, items, (record, now) => {
        const lease = extended(record.lease, now, deliveryLease)
        return { delivery: { ...record.delivery, nextAttemptAt: lease.until ?? now }, lease }
      })
    )
  }

  /** Gives deliveries of an endpoint back whose attempt was interrupted: it is made again. */
  release(webhookId: number, items: ReadonlyArray<ClaimedDelivery>): Effect.Effect<void, StorageError> {
    return Effect.asVoid(
      this.commands.run("deliveries.release", (call) =>
        changeDeliveries(call, webhookId, items, ({ delivery, lease }, now) => ({
          delivery: { ...delivery, nextAttemptAt: now },
          lease: released(lease)
        }))
      )
    )
  }

  /** Makes an attempt and records its outcome, which it returns. */
  run(item: ClaimedDelivery): Effect.Effect<AttemptOutcome, StorageError> {
    const { seq } = item.record.delivery
    return Effect.flatMap(this.storage.events.scan(seq - 1, 1), ([found]) => {
      const event = found?.seq === seq ? found : undefined
      return tracedWork(
        () => spanOf(item, event),
        (span) => this.deliver(item, event, span)
      )
    })
  }

  private deliver(
    item: ClaimedDelivery,
    event: EventRecord | undefined,
    span: WorkSpan
  ): Effect.Effect<AttemptOutcome, StorageError> {
    const { attempts } = item.record.delivery
    return Effect.gen({ self: this }, function* () {
      const outcome = event === undefined ? eventGone : yield* this.send(item.webhook, event, attempts)
      const named = outcome.delivered ? "delivered" : outcome.reason
      this.counts[named]++
      span.attribute("petstore.delivery.outcome", named)
      yield* this.recorded(item, outcome)
      return outcome
    })
  }

  private send(webhook: WebhookRecord, event: EventRecord, attempts: number): Effect.Effect<AttemptOutcome> {
    return Effect.flatMap(storeMillis(this.storage), (now) =>
      attempt(
        this.sender,
        webhook,
        { id: event.id, body: webhookBody(event), attempts, traceparent: event[traceparent] },
        now
      )
    )
  }

  /** Tries to record the outcome until that succeeds: otherwise the attempt would be made again. Interrupted when the lease ends. */
  private recorded(
    item: ClaimedDelivery,
    outcome: AttemptOutcome,
    wait = shortestRetry
  ): Effect.Effect<void, StorageError> {
    return Effect.catch(this.record(item, outcome), (error) =>
      error.code === "shutting_down"
        ? Effect.fail(error)
        : Effect.andThen(
            sleep(wait),
            Effect.suspend(() => this.recorded(item, outcome, Math.min(2 * wait, longestRetry)))
          )
    )
  }

  private record(item: ClaimedDelivery, outcome: AttemptOutcome): Effect.Effect<void, StorageError> {
    const { secrets } = this
    const { run } = this.commands
    return Effect.gen(function* () {
      const random = yield* Random.next
      const isDisabled = yield* run("deliveries.record", (call) => recordAttempt(call, secrets, item, outcome, random))
      if (isDisabled) yield* logDisabled(item.record.delivery.webhookId, outcome)
    })
  }
}

const logDisabled = (webhookId: number, outcome: AttemptOutcome): Effect.Effect<void> => {
  const cause = !outcome.delivered && outcome.reason === "gone" ? "it responded 410" : "all attempts failed for 5 days"
  return Effect.logWarning(`Webhook ${webhookId} was disabled because ${cause}. Enable it to send what waits for it.`)
}

const spanOf = ({ record: { delivery } }: ClaimedDelivery, event: EventRecord | undefined): TracedWork => ({
  name: "webhooks.deliver",
  kind: "internal",
  attributes: {
    "petstore.webhook.id": delivery.webhookId,
    "petstore.delivery.id": delivery.id,
    "petstore.delivery.attempt": delivery.attempts + 1,
    "petstore.event.id": delivery.eventId,
    "petstore.event.type": delivery.type
  },
  causes: [event?.[traceparent]]
})
