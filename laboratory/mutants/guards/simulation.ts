import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const core = "packages/core/src"
const database = "laboratory/simulate/SimulatedDatabase.ts"
const claims = `${core}/runtime/consumers/ConsumerClaims.ts`
const loop = `${core}/runtime/consumers/ConsumerLoop.ts`
const deliveries = `${core}/runtime/webhooks/deliveryCommands.ts`
const trimming = `${core}/runtime/retention/Trimming.ts`

/**
 * Bugs that shops have had, in the engine or in the simulated database: each is caught by a simulation within 500 seeds, or by the
 * explorer of interleavings.
 */
export const simulation: Subject = {
  name: "simulation",
  suite: {
    tests: ["laboratory/simulate/simulate.long.test.ts", "laboratory/explore/explore.test.ts"],
    packages: corePackages
  },
  guards: [
    // A lock is not taken, or does not keep others out.
    [
      database,
      `this.take(transaction, [[\`\${name} \${key}\`, mode]], answer, () => answer(found()), busy)`,
      "answer(found())"
    ],
    [database, "mode]], answer", '"shared"]], answer'],
    // The row that is decided on was read before its lock was waited for.
    [database, "answer, () => answer(found()), busy)", "answer, () => answer(seen), busy)"],
    // Two calls with one key run at once.
    [database, "seen.value === undefined && !locksMissing(name)", "seen.value === undefined"],
    // A commit is acknowledged before it is durable.
    [
      database,
      "const error = isRefused ? new StorageBusy({}) : isLost ? new CommitUnknown({}) : undefined",
      "const error = undefined"
    ],
    // A commit that failed has happened.
    [database, "const isApplied = !isRefused && (!isLost || faults.dice.isHit(0.5))", "const isApplied = true"],
    // A part of a transaction is committed.
    [
      database,
      "Effect.runSyncExit(this.rows.run((tx) => applied(tx, writes)))",
      "Effect.runSyncExit(this.rows.run((tx) => applied(tx, faults.happens('lostCommits') ? writes.slice(0, -1) : writes)))"
    ],
    // Ids count committed rows: one that was rolled back is used again, and two transactions at once have the same.
    [
      database,
      "const last = this.lastIds.get(table) ?? 0",
      "const last = Effect.runSync(this.rows.scan(tableNamed(table), [], 1_000)).length"
    ],
    // Events are numbered when they are written, not when they are committed: a later one is seen before an earlier one.
    [
      database,
      ", rows.events.scan(after, limit))",
      ", Effect.map(rows.events.scan(after, limit), (page) => this.faults.happens('lateCalls', 20) ? page.filter((_, place) => place !== page.length - 2) : page))"
    ],
    // A commit notifies nobody.
    [
      database,
      "for (const { notify, process: watching } of this.subscribers) {",
      "for (const { notify, process: watching } of []) {"
    ],
    // The record of a key is skipped, or not looked at.
    [
      `${core}/programs/idempotency/once.ts`,
      "tx.save(idempotencyKeys, { accountId, key: ownKey, operation, fingerprint, result, createdAt })",
      ""
    ],
    [`${core}/programs/idempotency/once.ts`, "record !== undefined && record.createdAt > expiry(createdAt)", "false"],
    // An event is left out of the transaction of its change, or says too much.
    [`${core}/programs/orders/orderCommands.ts`, "call.record(at, events)", "call.record(at, events.slice(1))"],
    [`${core}/programs/orders/orderCommands.ts`, "if (decision.facts.length === 0) return record\n", ""],
    // More is sold than there is; a cancelled order keeps its units, or gives them back twice.
    [`${core}/domain/inventory/Stock.ts`, "return free < quantity", "return free < quantity - 1"],
    [`${core}/domain/orders/Order.ts`, "stocks: [{ petId, change: Stock.cancel(stock, quantity) }]", "stocks: []"],
    [
      `${core}/domain/inventory/Stock.ts`,
      'moved(stock, "cancelled", 0, -quantity)',
      'moved(stock, "cancelled", 0, -Math.min(2 * quantity, stock.reserved))'
    ],
    // A lease without a fence.
    [`${core}/domain/Lease.ts`, "fence === claim && until !== undefined", "until !== undefined"],
    [claims, "holder === claimant.holder && isCurrent(lease, fence)", "true"],
    [deliveries, "before === undefined || !isCurrent(before.lease, lease.fence)", "before === undefined"],
    [
      `${core}/domain/messages/MessageState.ts`,
      'status === "queued" && isCurrent(lease, fence)',
      'status === "queued"'
    ],
    // A claim without a second look under its lock.
    [
      claims,
      "if (isTaken(record, claimant, at)) return { items: [], nextDue: record.lease.until, heldBy: record.holder }",
      ""
    ],
    // The position of a consumer moves before its events are handled.
    [
      claims,
      "position > record.position ? { ...withoutRetry(record), position } : record",
      "({ ...withoutRetry(record), position: position + 1 })"
    ],
    // An event counts as handled when its handler has failed.
    [
      loop,
      "yield* this.consuming.onFailure(error, event, { attempt, retryAt, parked: false })\n      return false",
      "yield* this.consuming.onFailure(error, event, { attempt, retryAt, parked: false })\n      return true"
    ],
    // Retention removes events that a consumer or a webhook needs, or what it has read before another process removed events.
    [trimming, "if (consumer !== undefined && seq > consumer.position) return consumer", ""],
    [
      trimming,
      "return webhook !== undefined && seq > webhook.position && timestamp >= undeliveredBefore ? webhook : undefined",
      "return undefined"
    ],
    [trimming, "if (!isSame(yield* tx.lock(checkpoints, logSubject), log)) return false\n", ""],
    // A client changes the stock although it is not what the client has read.
    [`${core}/programs/inventory/Inventory.ts`, "yield* orFail(checkVersion(pet.stockVersion, options))", ""],
    // The route of a webhook begins at the end of the log when a process starts, or two processes route the same events.
    [
      `${core}/runtime/webhooks/WebhookLane.ts`,
      "eventLog.follow(begun.after, filterOf(begun, subject))",
      "eventLog.follow(yield* eventLog.latest, filterOf(begun, subject))"
    ],
    [`${core}/programs/webhooks/routeEvents.ts`, "if (route.after !== from) return route\n", ""],
    // A user sees the events of others.
    [`${core}/runtime/events/Events.ts`, "visibleEvents(principal),", "{},"],
    // A lane routes what another process has routed while its events waited.
    [
      `${core}/runtime/webhooks/WebhookLane.ts`,
      "const rest = page.filter(({ seq }) => seq > part.from)",
      "const rest = page"
    ],
    // An event is older than its change, since the clock was set back.
    [
      `${core}/programs/events/Journal.ts`,
      "Math.max(storeTimeOf(clock), millisOf(timestamp))",
      "clock.currentTimeMillisUnsafe()"
    ],
    // An ordered webhook sends an event while an earlier one of its subject is to be sent again.
    [`${core}/programs/webhooks/canBeDue.ts`, "return first === undefined || first.delivery.id === id", "return true"],
    [`${core}/programs/webhooks/canBeDue.ts`, "if (seen.has(subject)) return false\n", ""],
    // A delivery that was not made counts as made.
    [deliveries, "if (outcome.delivered) {", 'if (outcome.delivered || outcome.reason === "connection") {'],
    // Two orders that move between the same pets wait for each other.
    [`${core}/programs/orders/orderCommands.ts`, "[Math.min(one, other), Math.max(one, other)]", "[one, other]"]
  ]
}
