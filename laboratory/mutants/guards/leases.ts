import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const core = "packages/core/src"
const work = `${core}/webhooks/DeliveryWork.ts`
const deliveries = `${core}/webhooks/deliveryCommands.ts`
const claims = `${core}/consumers/ConsumerClaims.ts`
const delivery = `${core}/messages/MessageDelivery.ts`
const worker = `${core}/services/background/Worker.ts`

export const leases: Subject = {
  name: "leases",
  suite: {
    tests: [
      `${core}/domain/Lease.test.ts`,
      `${core}/messages/MessageState.test.ts`,
      `${core}/services/background/{Alarm,Worker}.test.ts`,
      `${core}/consumers/ConsumerClaims.test.ts`,
      `${core}/webhooks/{attempt,dispatch,EndpointPace}.test.ts`,
      `${core}/messages/MessageDelivery.test.ts`
    ],
    packages: corePackages
  },
  guards: [
    [deliveries, "record === undefined || !isCurrent(record.lease, item.record.lease.fence)", "record === undefined"],
    [deliveries, "before === undefined || !isCurrent(before.lease, lease.fence)", "before === undefined"],
    [
      deliveries,
      "allowed - (yield* tx.count(leasedDeliveries, { webhookId, after: now, through }, allowed))",
      "allowed"
    ],
    [deliveries, "{ webhookId, after: now, through }", '{ webhookId, after: now, through: "9" }'],
    [deliveries, "Math.min(webhook.webhook.concurrency, most)", "webhook.webhook.concurrency"],
    [deliveries, "webhook === undefined || !webhook.webhook.enabled", "webhook === undefined"],
    [deliveries, "claimed(lease, now, deliveryLease)", "{ ...lease, until: plusMillis(now, deliveryLease) }"],
    [
      claims,
      "if (isTaken(record, claimant, at)) return { items: [], nextDue: record.lease.until, heldBy: record.holder }",
      ""
    ],
    [claims, "holder === claimant.holder && ", ""],
    [claims, " && isCurrent(lease, fence)", ""],
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
    [
      claims,
      "position > record.position ? { ...withoutRetry(record), position } : record",
      "({ ...withoutRetry(record), position })"
    ],
    [`${core}/domain/Lease.ts`, "until > now && until <= plusMillis(now, longestLease)", "until > now"],
    [`${core}/domain/Lease.ts`, "fence === claim && until !== undefined", "fence === claim"],
    [`${core}/messages/MessageState.ts`, 'status === "queued" && isCurrent(lease, fence)', 'status === "queued"'],
    [`${core}/messages/MessageState.ts`, "if (!isClaimable(record, now)) return undefined", ""],
    [
      `${core}/messages/MessageState.ts`,
      'record.status === "queued" && record.attempts === 0\n    ? { ...finished',
      'record.status === "queued"\n    ? { ...finished'
    ],
    [delivery, 'isDraining ? "released" : ', ""],
    [`${core}/messages/MessageQueue.ts`, "random.nextDoubleUnsafe()", "0.5"],
    [
      work,
      "delivery: { ...delivery, nextAttemptAt: now },\n          lease: released",
      "delivery,\n          lease: released"
    ],
    [
      `${core}/webhooks/attempt.ts`,
      "previous !== undefined && previous.until > formatTimestamp(now)",
      "previous !== undefined"
    ],
    [
      `${core}/webhooks/EndpointPace.ts`,
      "Math.max(this.resumesAt, now + Math.min(outcome.retryAfter * 1_000, longestPause))",
      "now + Math.min(outcome.retryAfter * 1_000, longestPause)"
    ],
    [worker, "known.item = item", ""],
    [worker, "this.unrecorded.push(...batch)", ""],
    [worker, "if (now >= one.leaseEnds) this.cancelThen(one, () => this.forget(one))\n      else ", ""],
    [worker, "else if (one.item === item && one.call !== undefined) this.cancelThen(one, () => this.forget(one))", ""],
    [worker, "this.isDraining || batch.some(({ wait }) => wait > 0)", "this.isDraining"],
    [
      worker,
      "isNew ? this.unrecorded.filter(({ wait }) => wait === 0) : again === undefined ? [] : [again]",
      "this.unrecorded"
    ],
    [worker, "() => oneByOne", "() => Effect.void"],
    [`${core}/services/background/Alarm.ts`, "Math.max(this.at - now, shortestSleep)", "this.at - now"]
  ]
}
