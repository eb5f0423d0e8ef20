import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Storage } from "../../ports/Storage.ts"
import { groupSizeLimits } from "../../ports/StorageActivity.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Events } from "../events/Events.ts"
import { AttemptCounts } from "./AttemptCounts.ts"
import type { PetstoreStats } from "./PetstoreStats.ts"
import { queueStats } from "./queueStats.ts"
import { reportMetrics } from "./reportMetrics.ts"

/** Numbers about the work of the petstore, for operators. */
export class Stats extends Context.Service<
  Stats,
  {
    /** The numbers now. Reads a few rows; the other numbers are counted anyway. */
    readonly read: Effect.Effect<PetstoreStats, StorageError>
  }
>()("@petstore/core/stats/Stats") {
  /** `storage`: the kind of store. */
  static readonly layer = (storage: string) =>
    Layer.effect(
      Stats,
      Effect.gen(function* () {
        const store = yield* Storage
        const events = yield* Events
        const attempts = yield* AttemptCounts
        const clock = yield* Clock.Clock
        const { activity } = store
        const opened = clock.currentTimeMillisUnsafe()

        const combine = ({
          consumers,
          endpoints,
          log,
          messages,
          reservations,
          verification
        }: Effect.Success<typeof stored>): PetstoreStats => ({
          storage,
          uptime: Math.max(0, (clock.currentTimeMillisUnsafe() - opened) / 1_000),
          transactions: {
            committed: activity.committed,
            rejected: activity.rejected,
            retried: activity.retried,
            failed: activity.failed,
            waiting: activity.waiting
          },
          commits: {
            count: activity.commits,
            transactions: activity.grouped,
            largest: activity.largestGroup,
            groupSizes: groupSizeLimits.map((upTo, at) => ({ upTo, count: activity.groupSizes[at] ?? 0 }))
          },
          events: log,
          consumers,
          messages: { ...messages, attempts: { ...attempts.messages } },
          reservations,
          webhooks: { attempts: { ...attempts.webhooks }, endpoints },
          ...(verification === undefined ? {} : { verification })
        })

        const stored = queueStats(store, events)
        let latest: Effect.Success<typeof stored> = {
          log: { earliest: 1, latest: 0, subscribers: 0, lag: 0 },
          consumers: [],
          messages: { queued: 0, failed: 0, oldestQueued: 0 },
          reservations: { overdue: 0, oldestOverdue: 0, tooLong: 0 },
          endpoints: [],
          verification: undefined
        }
        const metrics = yield* reportMetrics(storage, {
          read: Effect.map(stored, (current) => {
            latest = current
          }),
          recent: () => combine(latest)
        })
        return { read: Effect.map(metrics.refreshed, () => combine(latest)) }
      })
    )
}
