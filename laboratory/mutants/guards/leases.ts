import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const core = "packages/core/src"
const work = `${core}/runtime/webhooks/DeliveryWork.ts`
const deliveries = `${core}/runtime/webhooks/deliveryCommands.ts`
const claims = `${core}/runtime/consumers/ConsumerClaims.ts`
const delivery = `${core}/runtime/messages/MessageDelivery.ts`
const worker = `${core}/runtime/background/Worker.ts`

export const leases: Subject = {
  name: "leases",
  suite: {
    tests: [
      `${core}/domain/Lease.test.ts`,
      `${core}/domain/messages/MessageState.test.ts`,
      `${core}/runtime/background/{Alarm,Worker}.test.ts`,
      `${core}/runtime/consumers/ConsumerClaims.test.ts`,
      `${core}/programs/webhooks/attempt.test.ts`,
      `${core}/runtime/webhooks/{dispatch,EndpointPace}.test.ts`,
      `${core}/runtime/messages/MessageDelivery.test.ts`
    ],
    packages: corePackages
  },
  guards: [
    [
      deliveries,
      "count(leasedDeliveries, { webhookId, after: now, through }",
      'count(leasedDeliveries, { webhookId, after: now, through: "9" }'
    ],
    [deliveries, "Math.min(webhook.webhook.concurrency, most)", "webhook.webhook.concurrency"],
    [
      deliveries,
      "claimed(due.lease, now, deliveryLeaseMillis)",
      "{ ...due.lease, until: plusMillis(now, deliveryLeaseMillis) }"
    ],
    [
      claims,
      `return Effect.map(
        this.change(claim, "consumers.record", (record) => handledUpTo(record, position)),
        () => {
          claim.recorded = position
        }
      )`,
      `claim.recorded = position; return this.change(claim, "consumers.record", (record) => handledUpTo(record, position))`
    ],
    [delivery, 'isDraining ? "released" : ', ""],
    [`${core}/runtime/messages/MessageQueue.ts`, "random.nextDoubleUnsafe()", "0.5"],
    [
      work,
      "delivery: { ...delivery, nextAttemptAt: now },\n          lease: released",
      "delivery,\n          lease: released"
    ],
    [`${core}/programs/webhooks/attempt.ts`, " && previous.until > formatTimestamp(now)", ""],
    [
      `${core}/runtime/webhooks/EndpointPace.ts`,
      "Math.max(this.resumesAt, now + Math.min(outcome.retryAfter * 1_000, longestPauseMillis))",
      "now + Math.min(outcome.retryAfter * 1_000, longestPauseMillis)"
    ],
    [worker, "known.item = item", ""]
  ]
}
