import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { extended, released } from "../../domain/Lease.ts"
import { webhookBody } from "../../domain/webhooks/Webhook.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { WebhookSender } from "../../ports/WebhookSender.ts"
import type { Commands } from "../../programs/Commands.ts"
import type { Journal } from "../../programs/events/Journal.ts"
import { elapsedOn, storeMillis } from "../../programs/time.ts"
import { type TracedWork, tracedWork } from "../../programs/tracing.ts"
import { type AttemptOutcome, attempt } from "../../programs/webhooks/attempt.ts"
import type { WebhookSecrets } from "../../programs/webhooks/secrets/WebhookSecrets.ts"
import { type EventRecord, traceparent } from "../../tables/eventTable.ts"
import { dueDeliveries, type WebhookRecord } from "../../tables/webhookTables.ts"
import type { Claimed, Ended } from "../background/Worker.ts"
import type { AttemptCounts } from "../stats/AttemptCounts.ts"
import {
  attemptLost,
  type ClaimedDelivery,
  type Claiming,
  changeDeliveries,
  claimDeliveries,
  deliveryLeaseMillis,
  recordAttempts
} from "./deliveryCommands.ts"

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

  /**
   * Records how attempts ended, and claims deliveries of the endpoint that are due, so that over all processes at most `most` are claimed,
   * and no more than its concurrency.
   */
  recordAndClaim(
    webhookId: number,
    ended: ReadonlyArray<Ended<ClaimedDelivery, AttemptOutcome>>,
    limit: number,
    most: number
  ): Effect.Effect<Claimed<ClaimedDelivery>, StorageError> {
    const { secrets } = this
    const { run: runCommand } = this.commands
    const firstDue = Effect.map(
      this.storage.select(dueDeliveries, { webhookId, at: everyTime }, 1),
      ([first]) => first?.delivery.nextAttemptAt
    )
    const { clockTime } = this.journal
    return Effect.gen({ self: this }, function* () {
      if (ended.length === 0) {
        if (limit === 0) return { items: [] }
        const due = yield* firstDue
        if (due === undefined) return { items: [] }
        if (due > (yield* clockTime)) return { items: [], nextDue: due }
      }
      const random = yield* Random.Random
      const { claiming, disabledBy, left } = yield* recorded(
        webhookId,
        ended,
        runCommand(ended.length === 0 ? "deliveries.claim" : "deliveries.record", function* (call) {
          const isOver = call.turn()
          const draw = () => random.nextDoubleUnsafe()
          const attempts = yield* recordAttempts(call, secrets, webhookId, ended, draw, isOver)
          const isCut = attempts.left > 0
          const claiming: Claiming =
            isCut || limit === 0
              ? { items: [], isCut }
              : yield* claimDeliveries(call, secrets, webhookId, limit, most, isOver)
          return { claiming, ...attempts }
        })
      )
      if (disabledBy !== undefined) yield* logDisabled(webhookId, disabledBy)
      const { isCut = false, isWaiting, items, nextDue, unreadable } = claiming
      if (unreadable !== undefined) yield* secrets.report(unreadable)
      // What cannot be read now is read with its attempt.
      const events = yield* Effect.orElseSucceed(this.eventsOf(items), () => undefined)
      return {
        items: items.map((item) => ({ ...item, events })),
        nextDue: isWaiting === true || nextDue !== undefined ? nextDue : firstDue,
        recorded: ended.length - left,
        isCut
      }
    })
  }

  private eventsOf(
    items: ReadonlyArray<ClaimedDelivery>
  ): Effect.Effect<ReadonlyMap<number, EventRecord>, StorageError> {
    if (items.length === 0) return Effect.succeed(new Map())
    const seqs = items.map(({ record }) => record.delivery.seq)
    return Effect.map(this.storage.events.find(seqs), (events) => new Map(events.map((event) => [event.seq, event])))
  }

  /** Extends the leases of deliveries of an endpoint, and returns those that are lost. */
  extend(
    webhookId: number,
    items: ReadonlyArray<ClaimedDelivery>
  ): Effect.Effect<ReadonlyArray<ClaimedDelivery>, StorageError> {
    return this.commands.run("deliveries.extend", (call) =>
      changeDeliveries(call, webhookId, items, (record, now) => {
        const lease = extended(record.lease, now, deliveryLeaseMillis)
        return { ...record, delivery: { ...record.delivery, nextAttemptAt: lease.until ?? now }, lease }
      })
    )
  }

  /** Gives deliveries of an endpoint back whose attempt was interrupted: it is made again. */
  release(webhookId: number, items: ReadonlyArray<ClaimedDelivery>): Effect.Effect<void, StorageError> {
    return Effect.asVoid(
      this.commands.run("deliveries.release", (call) =>
        changeDeliveries(call, webhookId, items, ({ delivery, lease, ...rest }, now) => ({
          ...rest,
          delivery: { ...delivery, nextAttemptAt: now },
          lease: released(lease)
        }))
      )
    )
  }

  attempt(item: ClaimedDelivery): Effect.Effect<AttemptOutcome, StorageError> {
    const { attempts, seq } = item.record.delivery
    const read = item.events === undefined ? this.eventsOf([item]) : Effect.succeed(item.events)
    return Effect.flatMap(read, (events) => {
      const event = events.get(seq)
      return tracedWork(
        () => spanOf(item, event),
        (span) => {
          item.span = span.traceparent
          const made =
            item.isLost === true
              ? Effect.succeed(attemptLost)
              : event === undefined
                ? Effect.succeed(eventGone)
                : this.send(item.webhook, event, attempts)
          return Effect.map(timed(made), ({ durationMs, outcome }) => {
            item.durationMs = durationMs
            const named = outcome.delivered ? "delivered" : outcome.reason
            this.counts[named]++
            span.attribute("petstore.delivery.outcome", named)
            return outcome
          })
        }
      )
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
}

/** Measures the milliseconds that an attempt takes. */
const timed = (attempt: Effect.Effect<AttemptOutcome>) =>
  Clock.clockWith((clock) => {
    const begun = elapsedOn(clock)
    return Effect.map(attempt, (outcome) => ({ outcome, durationMs: Math.round(elapsedOn(clock) - begun) }))
  })

/** Records outcomes in a span with links to those of their attempts. */
const recorded = <A, E>(
  webhookId: number,
  ended: ReadonlyArray<Ended<ClaimedDelivery, AttemptOutcome>>,
  record: Effect.Effect<A, E>
) =>
  ended.length === 0
    ? record
    : tracedWork(
        () => ({
          name: "record deliveries",
          kind: "internal",
          attributes: { "petstore.webhook.id": webhookId, "petstore.delivery.count": ended.length },
          causes: ended.map(({ item }) => item.span)
        }),
        () => record
      )

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
