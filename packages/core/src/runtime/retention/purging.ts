/** Deletes what has expired beside the log of events, as long as the petstore is open. Does not keep the process alive. */

import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { storeMillis } from "../../programs/time.ts"
import { deliveriesOfEvents, deliveries as deliveryTable, endpoints, webhooks as table } from "../../tables/index.ts"
import type { DeliveryRecord } from "../../tables/webhookTables.ts"
import { sleep } from "../background/sleep.ts"
import { MessageQueue } from "../messages/MessageQueue.ts"
import { RetentionPolicy } from "./Trimming.ts"

/** Milliseconds between two looks for what has expired, and between two batches. */
const messageIntervalMillis = 5_000
const deliveryIntervalMillis = 60_000
const pauseMillis = 10
const batchSize = 100

/**
 * Looks again and again for what is older than it is kept: `purge` receives the time before which it has expired, and returns how long to
 * wait. The log has the first of several failures in a row.
 */
const purging = (
  keptFor: Duration.Input,
  interval: number,
  warning: string,
  purge: (before: string) => Effect.Effect<number, StorageError>
) => {
  const kept = Duration.toMillis(keptFor)
  let isReported = false
  const look = Effect.gen(function* () {
    const now = yield* storeMillis(yield* Storage)
    const exit = yield* Effect.exit(purge(formatTimestamp(Math.max(0, now - kept))))
    if (Exit.isSuccess(exit)) {
      isReported = false
      return exit.value
    }
    if (!isReported) {
      isReported = true
      yield* Effect.logWarning(warning, exit.cause)
    }
    return interval
  })
  return Effect.forkScoped(Effect.forever(Effect.flatMap(look, sleep)))
}

/** Deletes delivered messages that have expired. */
export const messagePurging = Layer.effectDiscard(
  Effect.gen(function* () {
    const { messages } = yield* RetentionPolicy
    if (messages?.for === undefined) return
    const queue = yield* MessageQueue
    const warning = "Messages that have expired could not be deleted; this is tried again"
    yield* purging(messages.for, messageIntervalMillis, warning, (before) =>
      Effect.map(queue.purge(before, batchSize), (purged) =>
        purged === batchSize ? pauseMillis : messageIntervalMillis
      )
    )
  })
)

/**
 * Removes finished deliveries that have expired: those whose event was removed, because verification looks for the delivery of each event
 * that is in the log.
 */
export const deliveryPurging = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveries: policy } = yield* RetentionPolicy
    if (policy?.for === undefined) return
    const storage = yield* Storage
    const commands = yield* Commands

    /** Removes the next expired ones of an endpoint that follow a `seq`, and returns where to continue, if there may be more. */
    const purgeNext = Effect.fnUntraced(function* (
      webhookId: number,
      after: number,
      isExpired: (record: DeliveryRecord) => boolean
    ): Effect.fn.Return<number | undefined, StorageError> {
      const page = yield* storage.select(deliveriesOfEvents, { webhookId, after }, batchSize)
      const ids = page.filter(isExpired).map(({ delivery }) => delivery.id)
      if (ids.length === 0) return undefined
      const highest = Math.max(...ids)
      const isLast = (yield* storage.scan(deliveryTable, [highest], 1)).length === 0
      yield* commands.run("deliveries.purge", function* ({ tx }) {
        if ((yield* tx.lock(table, webhookId)) === undefined) return
        for (const id of ids) {
          // The last id of all stays, so that it is not used again.
          if (isLast && id === highest) continue
          const record = yield* tx.find(deliveryTable, id)
          if (record !== undefined && isExpired(record)) tx.remove(deliveryTable, record)
        }
      })
      return page.at(-1)?.delivery.seq
    })

    const warning = "Deliveries that have expired could not be removed; this is tried again"
    yield* purging(
      policy.for,
      deliveryIntervalMillis,
      warning,
      Effect.fnUntraced(function* (before) {
        const [first] = yield* storage.events.scan(0, 1)
        if (first === undefined) return deliveryIntervalMillis
        const isExpired = ({ delivery: { finishedAt, seq } }: DeliveryRecord) =>
          finishedAt !== undefined && finishedAt < before && seq < first.seq
        for (let page = yield* storage.select(endpoints, 0, batchSize); page.length > 0; ) {
          for (const { webhook } of page) {
            for (let after: number | undefined = 0; after !== undefined; ) {
              after = yield* purgeNext(webhook.id, after, isExpired)
              if (after !== undefined) yield* sleep(pauseMillis)
            }
          }
          page = yield* storage.select(endpoints, page.at(-1)?.webhook.id ?? Number.POSITIVE_INFINITY, batchSize)
        }
        return deliveryIntervalMillis
      })
    )
  })
)
